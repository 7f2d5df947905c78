// The small example: both lanes, a ruler of floats for each operation, the last one shared, all at one scale. At each step
// the exact result appears between two ticks and moves to the nearest one. `example` has the `lanes` (kind, text, how),
// and `steps` (kind, ruler, text, the text `before` its operands are known, the places `start` and `at`, in floats from the
// result that opens the ruler, `value`, `moved`), and the place of the whole's `exact` value; `time` counts steps.
const {parts, keepDrawn, player, shape, write, writeInside, box, ruler, measure, sheet, symbol, smooth} = await import('./kit.js' + new URL(import.meta.url).search);

const {drawBits} = await import('./bits.js' + new URL(import.meta.url).search);

const PARTS = `
  <p class="told"></p>
  <div class="host small"></div>
  <div class="clock"></div>
  <div class="host two-results"></div>`;
const PACE = 2500; // milliseconds for a step

export const draw = ({parentElement, data}) => {
  const root = parentElement.querySelector('.small_example');
  const find = parts(root, PARTS);
  const {steps, begin, end, results} = data;
  root.clock ??= {};
  keepDrawn(root, () => {
    drawBits(find('.two-results'), results);
    const show = at => {
      const told = at === 0 ? begin : at === steps.length ? end : steps[Math.ceil(at) - 1].told;
      find('.told').textContent = told;
      drawSmallExample(find('.small'), data, at);
      return told;
    };
    player(find('.clock'), root.clock, {last: steps.length, pace: PACE, label: 'The steps of the small example', show});
  });
};

const [APPEARS, RESTS, LANDS] = [0.18, 0.45, 0.7]; // shares of a step

export function drawSmallExample(host, example, time) {
  const wide = host.clientWidth >= 640;
  const [svg, width] = sheet(host, wide ? 316 : 424, example.label);
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
  const landed = i => time >= i + LANDS;
  const share = (from, long) => Math.max(0, Math.min(1, (time - from) / long));
  const across = (ruler, place) => ruler.x + ruler.wide * ruler.center + place * unit;

  example.lanes.forEach((lane, i) => {
    const y = wide ? rulers[i].y : [14, 146][i];
    symbol(svg, 7, y - 5, lane.kind, 5.5);
    write(svg, 20, y, lane.how, `strong text-${lane.kind}`);
  });
  rulers.forEach(drawRuler);
  if (landed(example.steps.length - 1)) drawDistance();
  example.steps.forEach(drawStep);

  function drawRuler(lane, number) {
    const reach = number === last ? 24 : 8;
    const places = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(place => across(lane, place));
    ruler(svg, lane.x, lane.x + lane.wide, lane.y, places.filter(x => x > lane.x + 2 && x < lane.x + lane.wide - 2), reach);
    if (number < last) return;
    const [from, to] = [across(lane, 1), across(lane, 2)];
    measure(svg, from, to, lane.y - 30);
    write(svg, (from + to) / 2, lane.y - 38, '1 float', 'quiet', 'middle');
  }

  function drawStep(step, i) {
    const {kind, ruler: number, start, at, moved, value, text, before} = step;
    const ruler = rulers[number];
    const [both, first] = [number === last, kind === 'first'];
    const y = ruler.y + (both ? (first ? -13 : 13) : 0);
    const known = !both || example.steps.every((other, k) => k >= i || other.kind !== kind || landed(k));
    const begun = time > i;
    const title = ruler.y - (both ? (first ? 50 : 33) : 16);
    write(svg, ruler.x, title, known ? text : before, `${begun ? `strong text-${kind}` : 'quiet'} code halo`);
    if (!begun) return;
    const [exact, end] = [across(ruler, start), across(ruler, at)];
    const done = smooth(share(i + RESTS, LANDS - RESTS));
    const x = exact + (end - exact) * done;
    box(svg, Math.min(exact, x), y - 4, Math.abs(x - exact), 8, `fill-${kind}`, {opacity: 0.45});
    symbol(shape(svg, 'g', {opacity: share(i, APPEARS)}), exact, y, 'exact', 5);
    if (done) symbol(svg, x, y, kind, 6);
    if (!landed(i)) return;
    const aside = both && unit < 82 ? (first ? 12 : -12) : 0; // two values side by side
    write(svg, end + aside, ruler.y + (both ? 40 : 24), value, `value strong halo text-${kind}`, 'middle');
    const told = both ? [end + (first ? 12 : -12), y + 5, first ? 'start' : 'end'] : [(exact + end) / 2, ruler.y - 14, 'middle'];
    if (wide) write(svg, told[0], told[1], moved, `text-${kind} halo`, told[2]);
  }

  function drawDistance() {
    const {y} = rulers[last];
    const places = example.steps.filter(step => step.ruler === last).map(step => across(rulers[last], step.at));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    box(svg, from + 1, y - 7, to - from - 2, 14, 'fill-differ', {opacity: 0.25});
    writeInside(svg, (from + to) / 2, y + 58, example.apart, 'strong text-differ halo', width);
    symbol(svg, across(rulers[last], example.exact), y, 'exact', 6);
  }
}
