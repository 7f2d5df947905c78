// The rows that merge, wrong or right, of a small example or of the visitor's first sample, as the visitor chooses in the
// browser alone. `data` is a PitfallDrawing of lib/pitfall/merging. Picks the x of the small example.
const query = new URL(import.meta.url).search;
const {glide, keepDrawn, parts} = await import('./kit.js' + query);
const {flows} = await import('./flows.js' + query);

const PARTS = `
  <div class="row choices">
    <div class="choice ways" role="group" aria-label="How the rows are asked for">
      <button data-way="wrong"></button><button data-way="right"></button></div>
    <div class="choice" role="group" aria-label="What is drawn">
      <button data-of="0"></button><button data-of="1"></button></div>
  </div>
  <pre><span class="about"></span><span class="at"> at x = [<input type="number">, <input type="number">]</span></pre>
  <pre class="asked"></pre>
  <div class="host flows"></div>
  <p class="under"></p>`;
const MERGE = 600; // milliseconds

export const draw = ({parentElement, data: {drawings, furthest}, setTriggerValue}) => {
  const root = parentElement.querySelector('.pitfall');
  const find = parts(root, PARTS);
  const chosen = root.chosen ??= {way: 'wrong', of: 0, merged: 1, lit: null};
  const inputs = [...root.querySelectorAll('input')];
  let drawing;
  let pose;
  find('.choices').onclick = ({target: {dataset}}) => {
    if (dataset.of) {
      chosen.of = Number(dataset.of);
      arrange();
    }
    if (dataset.way && dataset.way !== chosen.way) turn(dataset.way);
  };
  inputs.forEach((input, i) => {
    const label = `x[${i}]`;
    Object.assign(input, {min: -furthest, max: furthest, required: true, ariaLabel: label, title: label});
    input.oninput = () => inputs.every(input => input.checkValidity()) && setTriggerValue('pick', inputs.map(x => +x.value));
    if (input !== root.getRootNode().activeElement) input.value = drawings[0].x[i];
  });
  keepDrawn(root, arrange);

  // The bands go into the one x, or out of it, from where they are.
  function turn(way) {
    chosen.way = way;
    const [from, to] = [chosen.merged, way === 'wrong' ? 1 : 0];
    name();
    glide(chosen, MERGE * Math.abs(to - from), share => {
      chosen.merged = from + (to - from) * share;
      pose(chosen.merged, chosen.lit);
    });
  }

  function light(i) {
    chosen.lit = i;
    pose(chosen.merged, i);
    tell();
  }

  function tell() {
    const sums = chosen.way === 'wrong' ? pose.sums : '';
    find('.under').textContent = drawing[chosen.way].lit[chosen.lit] ?? sums;
  }

  function name() {
    for (const button of root.querySelectorAll('.choice button')) {
      const {way, of} = button.dataset;
      button.setAttribute('aria-pressed', way ? way === chosen.way : drawings[of] === drawing);
      button.textContent = way ? drawing[way].way : drawings[of]?.name;
      button.hidden = !button.textContent;
    }
    find('.ways').classList.toggle('harmless', !drawing.merges);
    find('.about').textContent = drawing.about;
    find('.at').hidden = !drawing.x.length;
    find('.asked').textContent = drawing[chosen.way].code;
    tell();
  }

  function arrange() {
    drawing = drawings[Math.min(chosen.of, drawings.length - 1)];
    chosen.lit = null;
    pose = flows(find('.flows'), drawing, light);
    pose(chosen.merged, null);
    name();
  }
};
