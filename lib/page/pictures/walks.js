// The float line with a walk to either side of it: a walk begins at the exact value, goes one step with each rounding, and
// ends on a float. `line` is the data of `walks` in lib/batch/opening, `unit` the width of a float, `steps` how many are
// done, also between two whole numbers, and `lit` the number of one. Returns the drawing.
function drawWalks(host, line, {unit, steps, lit}) {
  const height = 176;
  const [svg, width] = sheet(host, height, line.said);
  const y = 88;
  const across = place => (place - line.low) * unit;
  rule(svg, 0, y, width, y, 'axis');
  for (const place of line.ticks) rule(svg, across(place), y - 9, across(place), y + 9, 'tick');
  rule(svg, across(line.exact), 18, across(line.exact), y + 66, 'exact');
  const ends = line.ways.map(drawWay);
  symbol(svg, across(line.exact), y, 'exact', 5);
  line.ways.forEach((way, i) => symbol(svg, ends[i].x, ends[i].y, way.kind, 7));
  const text = write(svg, 0, 12, `◇ exact ${line.exact_text}`, 'strong halo', 'middle');
  const half = text.getComputedTextLength() / 2;
  text.setAttribute('x', Math.max(half, Math.min(width - half, across(line.exact))));
  if (width >= 450 || line.ticks[1] - line.ticks[0] > 1) write(svg, 0, height - 6, line.every, 'quiet halo');
  if (ends.every(end => end.over)) drawDistance();
  return svg;

  function drawWay(way) {
    const first = way.kind === 'first';
    const [count, sign] = [way.steps.length, first ? -1 : 1];
    const gap = Math.min(17, 60 / count);
    const level = done => y + sign * (count - done) * gap;
    const whole = Math.min(count, Math.floor(steps));
    const share = whole < count ? Math.min(1, steps - whole) : 0;
    let d = `M${across(line.exact)},${level(0)}`;
    let x = across(line.exact);
    way.steps.slice(0, whole + (share > 0)).forEach((step, i) => {
      const part = i < whole ? 1 : Math.min(1, share * 1.6);
      const from = across(step.from);
      x = from + (across(step.to) - from) * part;
      const box = {x: Math.min(from, x), y: level(i) - Math.min(6, gap) / 2, width: Math.abs(x - from), height: Math.min(6, gap)};
      draw(svg, 'rect', {...box, class: `fill-${way.kind} ${i === lit ? 'lit' : ''}`});
      d += `H${x}${i < whole ? `V${level(i + 1)}` : ''}`;
    });
    draw(svg, 'path', {d, class: `walk stroke-${way.kind}`});
    const over = whole === count;
    if (over) writeEnd(way, first ? y - 26 : y + 32);
    return {x, y: level(whole), over};
  }

  // Where a walk ends, beside its steps: its digits, those that differ in violet.
  function writeEnd(way, foot) {
    const places = way.steps.flatMap(step => [across(step.from), across(step.to)]);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    const group = write(svg, 0, foot, '', `value strong halo text-${way.kind}`);
    draw(group, 'tspan', {}, `${way.name} ${way.same}`);
    draw(group, 'tspan', {class: 'text-differ'}, way.rest);
    const off = write(svg, 0, foot + 16, way.off, 'quiet halo');
    const long = group.getComputedTextLength();
    const right = high + 14 + long <= width && (across(way.at) >= across(line.exact) || low - 14 < long);
    for (const text of [group, off]) {
      text.setAttribute('x', right ? Math.min(high + 14, width - long) : Math.max(low - 14, long));
      text.setAttribute('text-anchor', right ? 'start' : 'end');
    }
  }

  function drawDistance() {
    const [from, to] = line.ways.map(way => across(way.at)).sort((one, other) => one - other);
    const foot = height - 10;
    if (from < to) draw(svg, 'path', {d: `M${from},${foot - 5}v10M${to},${foot - 5}v10M${from},${foot}H${to}`, class: 'distance'});
    const text = write(svg, to + 8, foot + 4.5, line.apart, `strong halo ${from < to ? 'text-differ' : ''}`);
    if (to + 8 + text.getComputedTextLength() > width) {
      text.setAttribute('x', from - 8);
      text.setAttribute('text-anchor', 'end');
    }
  }
}
