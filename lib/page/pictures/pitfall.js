// Why are all rows the same? The paths that merge, wrong or right and of a small example or of the visitor's first
// sample, as the visitor chooses in the browser alone; beside them the two populations of errors, which grow with the run.
const LAYOUT = `
  <div>
    <div class="choices">
      <div class="choice ways" role="group" aria-label="How the rows are asked for">
        <button data-way="wrong"></button><button data-way="right"></button>
      </div>
      <div class="choice of" role="group" aria-label="What is drawn"></div>
    </div>
    <p class="code about"></p>
    <pre class="code asked"></pre>
    <div class="host flows"></div>
    <p class="under"><span class="quiet">the wider a band, the larger the gradient</span><b></b></p>
  </div>
  <div class="side">
    <h2></h2>
    <p class="quiet"></p>
    <div class="host errors"></div>
  </div>`;

DRAW.pitfall = (root, data) => {
  const find = parts(root, LAYOUT);
  root.data = data;
  if (!root.chosen) {
    root.chosen = {way: 'wrong', of: 0};
    find('.choices').onclick = choose;
  }
  keepDrawn(root, arrange);

  function choose(event) {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.dataset.way) root.chosen.way = button.dataset.way;
    if (button.dataset.of) root.chosen.of = Number(button.dataset.of);
    root.redraw();
  }

  function arrange() {
    const {drawings, errors} = root.data;
    if (changed(root, 'names', drawings.map(drawing => drawing.name))) nameDrawings(drawings);
    const {way} = root.chosen;
    const of = Math.min(root.chosen.of, drawings.length - 1);
    for (const button of root.querySelectorAll('button')) {
      const pressed = button.dataset.way === way || button.dataset.of === String(of);
      button.setAttribute('aria-pressed', pressed);
    }
    const drawing = drawings[of];
    if (changed(root, 'flows', [drawing, way])) {
      const {code, note} = drawing[way];
      for (const button of find('.ways').children) button.textContent = drawing[button.dataset.way].way;
      find('.ways').classList.toggle('harmless', !drawing.merges);
      find('.about').textContent = drawing.about;
      find('.asked').textContent = code;
      find('.under b').textContent = note;
      find('.under b').className = way === 'wrong' && drawing.merges ? 'text-differ' : 'text-second';
      flows(find('.flows'), drawing, way);
    }
    if (changed(root, 'errors', errors)) {
      find('h2').textContent = errors.title;
      find('.side p').textContent = errors.about;
      populations(find('.errors'), errors);
    }
  }

  // The buttons that choose what is drawn; a single drawing has only its name.
  function nameDrawings(drawings) {
    const buttons = drawings.map((drawing, i) => {
      const button = document.createElement('button');
      button.dataset.of = i;
      button.textContent = drawing.name;
      button.title = drawing.origin;
      return button;
    });
    find('.of').replaceChildren(...buttons);
  }
};
