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
const MERGE = 600; // milliseconds

DRAW.pitfall = (root, data) => {
  const find = parts(root, LAYOUT);
  root.data = data;
  const chosen = root.chosen ??= {way: 'wrong', of: 0, merged: 1, lit: null};
  find('.choices').onclick = event => {
    const button = event.target.closest('button');
    if (button?.dataset.of) chosen.of = Number(button.dataset.of);
    if (button?.dataset.way && button.dataset.way !== chosen.way) turn(button.dataset.way);
    if (button) root.redraw();
  };
  keepDrawn(root, arrange);

  // The bands go into the one x, or out of it, from where they are.
  function turn(way) {
    chosen.way = way;
    const [from, to] = [chosen.merged, way === 'wrong' ? 1 : 0];
    glide(chosen, MERGE * Math.abs(to - from), share => {
      chosen.merged = from + (to - from) * share;
      root.pose?.(chosen.merged, chosen.lit);
    });
  }

  function light(i) {
    chosen.lit = i;
    root.pose?.(chosen.merged, i);
    tell();
  }

  function tell() {
    const {[chosen.way]: {note, lit}, merges} = root.drawing;
    find('.under b').textContent = chosen.lit === null ? note : lit[chosen.lit];
    find('.under b').className = chosen.way === 'wrong' && merges ? 'text-differ' : 'text-second';
  }

  function arrange() {
    const {drawings, errors} = root.data;
    if (changed(root, 'names', drawings.map(drawing => drawing.name))) nameDrawings(drawings);
    const of = Math.min(chosen.of, drawings.length - 1);
    for (const button of root.querySelectorAll('button')) {
      const pressed = button.dataset.way === chosen.way || button.dataset.of === String(of);
      button.setAttribute('aria-pressed', pressed);
    }
    const drawing = root.drawing = drawings[of];
    if (changed(root, 'flows', drawing)) {
      for (const button of find('.ways').children) button.textContent = drawing[button.dataset.way].way;
      find('.ways').classList.toggle('harmless', !drawing.merges);
      find('.about').textContent = drawing.about;
      chosen.lit = null;
      root.pose = flows(find('.flows'), drawing, light);
      root.pose(chosen.merged, null);
    }
    find('.asked').textContent = drawing[chosen.way].code;
    tell();
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
