// Why are all rows the same? The paths that merge, wrong or right and of a small example or of the visitor's first
// sample, as the visitor chooses in the browser alone; beside them the two populations of errors, which grow with the run.
const LAYOUT = `
  <div>
    <div class="row choices">
      <div class="choice ways" role="group" aria-label="How the rows are asked for">
        <button data-way="wrong"></button><button data-way="right"></button></div>
      <div class="choice" role="group" aria-label="What is drawn">
        <button data-of="0"></button><button data-of="1"></button></div>
    </div>
    <pre class="about"></pre><pre class="asked"></pre>
    <div class="host flows"></div>
    <p class="under"></p>
  </div>
  <div><h2>In the network: how far off each entry is</h2><p class="quiet"></p><div class="host errors"></div></div>`;
const MERGE = 600; // milliseconds

DRAW.pitfall = (root, data) => {
  const find = parts(root, LAYOUT);
  const chosen = root.chosen ??= {way: 'wrong', of: 0, merged: 1, lit: null};
  find('.choices').onclick = ({target: {dataset}}) => {
    if (dataset.of) chosen.of = Number(dataset.of);
    if (dataset.way && dataset.way !== chosen.way) turn(dataset.way);
    arrange();
  };
  keepDrawn(root, arrange);

  // The bands go into the one x, or out of it, from where they are.
  function turn(way) {
    chosen.way = way;
    const [from, to] = [chosen.merged, way === 'wrong' ? 1 : 0];
    glide(chosen, MERGE * Math.abs(to - from), share => {
      chosen.merged = from + (to - from) * share;
      root.pose(chosen.merged, chosen.lit);
    });
  }

  function light(i) {
    chosen.lit = i;
    root.pose(chosen.merged, i);
    tell();
  }

  function tell() {
    find('.under').textContent = root.drawing[chosen.way].lit[chosen.lit] ?? (chosen.way === 'wrong' ? root.pose.sums : '');
  }

  function arrange() {
    const {drawings, errors} = data;
    const of = Math.min(chosen.of, drawings.length - 1);
    const drawing = root.drawing = drawings[of];
    for (const button of root.querySelectorAll('.choice button')) {
      const {way, of: number} = button.dataset;
      button.setAttribute('aria-pressed', way === chosen.way || number === String(of));
      button.textContent = way ? drawing[way].way : drawings[number]?.name;
      button.hidden = !button.textContent;
    }
    find('.ways').classList.toggle('harmless', !drawing.merges);
    find('.about').textContent = drawing.about;
    find('.asked').textContent = drawing[chosen.way].code;
    if (changed(root, 'flows', drawing)) {
      chosen.lit = null;
      root.pose = flows(find('.flows'), drawing, light);
      root.pose(chosen.merged, null);
    }
    tell();
    if (!changed(root, 'errors', errors)) return;
    find('h2 + p').textContent = errors.about;
    populations(find('.errors'), errors);
  }
};
