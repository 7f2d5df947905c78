// One component, computed both ways: its bits, how the two running sums part, and its paths through the network.
// `data` is a ComponentDrawing of lib/discrepancy/drawing. Picks the number of a component.
const query = new URL(import.meta.url).search;
const {append, keepDrawn, parts, player} = await import('./kit.js' + query);
const {drawBits} = await import('./bits.js' + query);
const {drawDrift} = await import('./drift.js' + query);
const {drawNetwork} = await import('./network.js' + query);

const PARTS = `
  <h2 class="results-heading"></h2>
  <div class="two-results"></div>
  <h2 class="drift-heading"></h2>
  <p class="note steps" aria-hidden="true"></p>
  <div class="drift"></div>
  <div class="clock"></div>
  <h2 class="network-heading"></h2>
  <p class="note units"></p>
  <div class="network"></div>`;
const LONGEST = 6000; // milliseconds of all steps together

export const draw = ({parentElement, data, setTriggerValue}) => {
  const root = parentElement.querySelector('.component');
  const find = parts(root, PARTS);
  const {results, drift, network} = data;
  const pick = component => setTriggerValue('pick', component);
  if (root.name !== results.label) root.clock = {};
  root.name = results.label;

  keepDrawn(root, () => {
    find('.results-heading').textContent = results.heading;
    find('.drift-heading').textContent = drift.heading;
    find('.network-heading').textContent = network.heading;
    const tell = about => { find('.units').textContent = about ?? network.note; };
    tell(null);
    const light = drawNetwork(find('.network'), network, pick, tell);
    let sums = drawDrift(find('.drift'), drift);
    const {last} = sums;
    drawBits(find('.two-results'), results, flip => {
      find('.results-heading').textContent = flip.heading;
      sums = drawDrift(find('.drift'), flip.kind ? moved(drift, results, flip) : drift);
      root.clock.stop();
    });

    const show = done => {
      const stops = sums.move(done);
      light(stops);
      find('.steps').textContent = stops.length ? '' : drift.note;
      for (const {kind, text} of stops) append(find('.steps'), 'span', `text-${kind}`, text);
      return stops.map(({name, text}) => `${name}: ${text}`).join('; ') || drift.label;
    };
    player(find('.clock'), root.clock, {last, pace: LONGEST / last, label: 'Operation by operation', show});
  });
};

// The float line with the result of a flipped bit where that lies, or at the end beyond which it does.
function moved(drift, {sides}, {kind, text, from, to}) {
  const end = drift.ends.find(end => end.kind === kind);
  const at = end && Number.isFinite(to) ? end.at + (to - from) / drift.ulp : NaN;
  const ends = drift.ends.filter(end => end.kind !== kind || Number.isFinite(at)).map(end => {
    const name = sides.find(side => side.kind === end.kind)?.name ?? end.name;
    const own = {...end, name, shared: false};
    if (end.kind !== kind) return own;
    return {...own, at: Math.max(drift.low, Math.min(drift.high, at)), text, short: text};
  });
  return {...drift, ends};
}
