// The float line with a walk to either side of it: a walk begins at the exact value, goes one step with each rounding, and
// ends on a float. `line` is the data of `walks` in lib/batch/drawing, `unit` the width of a float, `steps` how many are
// done, also between two whole numbers, `lit` the number of one. A step that both take is grey.
const kit = await import('./kit.js' + new URL(import.meta.url).search);
const {SIGN, set, shape, write, writeInside, rule, box, ruler, measure, sheet, symbol} = kit;

export function drawWalks(host, line, {unit, steps, lit}) {
  const height = 176;
  const [svg, width] = sheet(host, height, line.said);
  const y = 88;
  const across = place => (place - line.low) * unit;
  ruler(svg, 0, width, y, line.ticks.map(across), 9);
  rule(svg, across(line.exact), 18, across(line.exact), y + 66, 'exact');
  const ends = line.ways.map((way, i) => drawWay(way, line.ways[1 - i].steps));
  symbol(svg, across(line.exact), y, 'exact', 5);
  line.ways.forEach((way, i) => symbol(svg, ends[i].x, ends[i].y, way.kind, 7));
  writeInside(svg, across(line.exact), 12, `◇ exact ${line.exact_text}`, 'strong halo', width);
  if (ends.every(end => end.over)) {
    line.ways.forEach(writeEnd);
    drawDistance();
  }

  function drawWay(way, others) {
    const sign = way.kind === 'first' ? -1 : 1;
    const count = way.steps.length;
    const gap = Math.min(17, 60 / count);
    const tall = Math.min(6, gap);
    const level = done => y + sign * (count - done) * gap;
    const whole = Math.min(count, Math.floor(steps));
    const share = whole < count ? steps - whole : 0;
    let x = across(line.exact);
    let d = `M${x},${level(0)}`;
    way.steps.slice(0, whole + (share > 0)).forEach((step, i) => {
      const from = across(step.from);
      x = from + (across(step.to) - from) * (i < whole ? 1 : Math.min(1, share * 1.6));
      const look = `fill-${others.some(one => one.from === step.from && one.to === step.to) ? 'equal' : way.kind} ${i === lit ? 'lit' : ''}`;
      box(svg, Math.min(from, x), level(i) - tall / 2, Math.abs(x - from), tall, look);
      d += `H${x}${i < whole ? `V${level(i + 1)}` : ''}`;
    });
    shape(svg, 'path', {d, class: `walk stroke-${way.kind}`});
    return {x, y: level(whole), over: whole === count};
  }

  // Where a walk ends, outside of its steps: its digits, those that differ in violet, and how far off they are.
  function writeEnd(way) {
    const [first, x] = [way.kind === 'first', across(way.at)];
    const group = write(svg, 0, first ? 34 : y + 66, '', `value strong halo text-${way.kind}`);
    shape(group, 'tspan', {}, `${width < 480 ? SIGN[way.kind] : way.name} ${way.same}`);
    shape(group, 'tspan', {class: 'text-differ'}, way.rest);
    const long = group.getComputedTextLength();
    const places = way.steps.flatMap(step => [across(step.from), across(step.to)]);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    const below = x < across(line.exact);
    const fits = long + 20 < (below ? low : width - high);
    const left = fits ? below : low > width - high;
    const start = left ? Math.max(0, low - 20 - long) : Math.min(width - long, high + 20);
    group.setAttribute('x', start);
  }

  function drawDistance() {
    const [from, to] = line.ways.map(way => across(way.at)).sort((one, other) => one - other);
    const foot = height - 10;
    if (from < to) measure(svg, from, to, foot, 'curve stroke-differ');
    const text = write(svg, to + 8, foot + 4.5, line.apart, `strong halo ${from < to ? 'text-differ' : ''}`);
    if (to + 8 + text.getComputedTextLength() > width) set(text, {x: from - 8, 'text-anchor': 'end'});
  }
}
