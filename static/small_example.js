// The small example: both lanes, a ruler of floats for each operation, the last one shared, all at one scale. At each step
// the exact result appears between two ticks and moves to the nearest one. `data` is a SmallExample of
// lib/discrepancy/small_example.
const query = new URL(import.meta.url).search;
const {clamp, parts, keepDrawn, player, shape, write, writeInside, box, ruler, sheet, symbol, smooth} = await import('./kit.js' + query);
const {drawBits} = await import('./bits.js' + query);

const PARTS = `
  <p class="note"></p>
  <div class="small"></div>
  <div class="clock"></div>
  <div class="two-results"></div>`;
const PACE = 2500; // milliseconds for a step

export const draw = ({parentElement, data}) => {
  const root = parentElement.querySelector('.small_example');
  const find = parts(root, PARTS);
  const {steps, begin, end, results} = data;
  root.clock ??= {};
  keepDrawn(root, () => {
    drawBits(find('.two-results'), results);
    const show = done => {
      const text = done === 0 ? begin : done === steps.length ? end : steps[Math.ceil(done) - 1].told;
      find('.note').textContent = text;
      drawSteps(find('.small'), data, done);
      return text;
    };
    player(find('.clock'), root.clock, {last: steps.length, pace: PACE, label: 'The steps of the small example', show});
  });
};

const [APPEARS, RESTS, LANDS] = [0.18, 0.45, 0.7]; // shares of a step

// Draw the example after so many steps, the last one in part.
function drawSteps(host, {label, lanes, steps, exact, apart}, done) {
  const wide = host.clientWidth >= 640;
  const [svg, width] = sheet(host, wide ? 316 : 424, label);
  const left = wide ? 158 : 0;
  const half = (width - left - 24) / 2;
  const [top, second, shared] = wide ? [46, 134, 246] : [78, 200, 334];
  const rulers = [
    {x: left, y: top, wide: width - left, center: 0.55},
    {x: left, y: second, wide: half, center: 0.5},
    {x: left + half + 24, y: second, wide: half, center: 0.5},
    {x: left, y: shared, wide: width - left, center: 0.55},
  ];
  const unit = Math.min(100, half / 2.3);
  const last = rulers.length - 1;
  const landed = i => done >= i + LANDS;
  const share = (from, length) => clamp((done - from) / length);
  const across = (lane, place) => lane.x + lane.wide * lane.center + place * unit;

  lanes.forEach(({kind, how}, i) => {
    const y = wide ? rulers[i].y : [14, 146][i];
    symbol(svg, 7, y - 5, kind, 5.5);
    write(svg, 20, y, how, `strong text-${kind}`);
  });
  rulers.forEach(drawRuler);
  if (landed(steps.length - 1)) drawDistance();
  steps.forEach(drawStep);

  function drawRuler(lane, number) {
    const right = lane.x + lane.wide;
    const places = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(place => across(lane, place));
    ruler(svg, lane.x, right, lane.y, places.filter(x => x > lane.x + 2 && x < right - 2), number === last ? 24 : 8);
    if (number < last) return;
    const [from, to] = [across(lane, 1), across(lane, 2)];
    const y = lane.y - 30;
    shape(svg, 'path', {d: `M${from},${y - 4}v8m0,-4H${to}m0,-4v8`, class: 'axis'});
    write(svg, (from + to) / 2, y - 8, '1 float', 'quiet', 'middle');
  }

  function drawStep({kind, ruler: number, start, at, moved, value, text, before}, i) {
    const lane = rulers[number];
    const both = number === last;
    const side = kind === 'first' ? 1 : -1; // on the shared ruler, the first side is above
    const y = lane.y - (both ? 13 * side : 0);
    const begun = done > i;
    const title = lane.y - (!both ? 16 : kind === 'first' ? 50 : 33);
    write(svg, lane.x, title, landed(i - 1) ? text : before, `${begun ? `strong text-${kind}` : 'quiet'} code halo`);
    if (!begun) return;
    const [from, to] = [across(lane, start), across(lane, at)];
    const way = smooth(share(i + RESTS, LANDS - RESTS));
    const x = from + (to - from) * way;
    box(svg, Math.min(from, x), y - 4, Math.abs(x - from), 8, `fill-${kind}`, {opacity: 0.45});
    symbol(shape(svg, 'g', {opacity: share(i, APPEARS)}), from, y, 'exact', 5);
    if (way) symbol(svg, x, y, kind);
    if (!landed(i)) return;
    const aside = both && unit < 82 ? 12 * side : 0; // two values side by side
    write(svg, to + aside, lane.y + (both ? 40 : 24), value, `value strong halo text-${kind}`, 'middle');
    if (!wide) return;
    if (both) write(svg, to + 12 * side, y + 5, moved, `text-${kind} halo`, side > 0 ? 'start' : 'end');
    else write(svg, (from + to) / 2, lane.y - 14, moved, `text-${kind} halo`, 'middle');
  }

  function drawDistance() {
    const {y} = rulers[last];
    const places = steps.filter(step => step.ruler === last).map(step => across(rulers[last], step.at));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    box(svg, from + 1, y - 7, to - from - 2, 14, 'fill-differ', {opacity: 0.25});
    writeInside(svg, (from + to) / 2, y + 58, apart, 'strong text-differ halo', width);
    symbol(svg, across(rulers[last], exact), y, 'exact');
  }
}
