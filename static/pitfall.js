// The rows that merge, wrong or right, of a small example or of the visitor's first sample, as the visitor chooses in the
// browser alone. `data` is a PitfallDrawing of lib/pitfall/merging. Picks the x of the small example.
const query = new URL(import.meta.url).search;
const {glide, keepDrawn, parts, smooth} = await import('./kit.js' + query);
const {flows} = await import('./flows.js' + query);

const PARTS = `
  <div class="choices">
    <div class="choice ways" role="group" aria-label="How the rows are asked for">
      <button data-way="wrong"></button><button data-way="right"></button></div>
    <div class="choice" role="group" aria-label="What is drawn">
      <button data-number="0"></button><button data-number="1"></button></div>
  </div>
  <pre><span class="about"></span><span class="at"> at x = [<input type="number">, <input type="number">]</span></pre>
  <pre class="asked"></pre>
  <div class="flows"></div>
  <p class="under"></p>`;
const MERGE = 600; // milliseconds

export const draw = ({parentElement, data: {drawings, furthest}, setTriggerValue}) => {
  const root = parentElement.querySelector('.pitfall');
  const find = parts(root, PARTS);
  const chosen = root.chosen ??= {way: 'wrong', number: 0, merged: 1};
  const inputs = [...root.querySelectorAll('input')];
  let drawing;
  let pose;
  find('.choices').onclick = ({target: {dataset: {way, number}}}) => {
    if (way && way !== chosen.way) turn(way);
    if (!number) return;
    chosen.number = number;
    arrange();
  };
  inputs.forEach((input, i) => {
    const label = `x[${i}], a whole number from −${furthest} to ${furthest}`;
    Object.assign(input, {min: -furthest, max: furthest, required: true, ariaLabel: label, title: label});
    input.oninput = () => inputs.every(input => input.checkValidity()) && setTriggerValue('pick', inputs.map(x => +x.value));
    input.onchange = () => { if (!input.checkValidity()) input.value = drawings[0].x[i]; }; // back to what is drawn
    if (input !== root.getRootNode().activeElement) input.value = drawings[0].x[i];
  });
  keepDrawn(root, arrange);

  // The bands go into the one x, or out of it, from where they are.
  function turn(way) {
    chosen.way = way;
    const [from, to] = [chosen.merged, way === 'wrong' ? 1 : 0];
    name();
    glide(chosen, MERGE * Math.abs(to - from), share => {
      chosen.merged = from + (to - from) * smooth(share);
      pose(chosen.merged, chosen.lit);
    });
  }

  function light(lit) {
    chosen.lit = lit;
    pose(chosen.merged, lit);
    tell();
  }

  function tell() {
    const {highlights} = drawing[chosen.way];
    find('.under').textContent = highlights[chosen.lit] ?? `Dotted: one call. ${chosen.way === 'wrong' ? pose.sums : ''}`;
  }

  function name() {
    for (const button of root.querySelectorAll('button')) {
      const {way, number} = button.dataset;
      button.ariaPressed = way ? way === chosen.way : drawings[number] === drawing;
      button.textContent = way ? drawing[way].way : drawings[number]?.name;
      button.hidden = !button.textContent;
    }
    find('.ways').classList.toggle('harmless', !drawing.merges);
    find('.about').textContent = drawing.about;
    find('.at').hidden = !drawing.x.length;
    find('.asked').textContent = drawing[chosen.way].code;
    tell();
  }

  function arrange() {
    drawing = drawings[chosen.number] ?? drawings[0];
    pose = flows(find('.flows'), drawing, light);
    light(null);
    name();
  }
};
