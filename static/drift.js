// How far the running sums of both ways are from the exact sum, operation by operation. They end on the float line.
// `drift` is a DriftPicture of lib/discrepancy/drift.
// Returns how many steps the longer sum has, and `move`, which draws both sums up to a step and returns what is done there.
const {shape, write, rule, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function drawDrift(host, drift) {
  const height = 224;
  const [svg, width] = sheet(host, height, drift.label);
  const narrow = width < 480;
  const [top, bottom] = [22, height - 36];
  const textOf = value => (narrow || value.text.length > 17 ? value.short : value.text);
  const letters = Math.max(...drift.ends.map(end => textOf(end).length), 0);
  const names = Math.max(...drift.ends.map(end => end.name.length), 0);
  // Without sums to draw, the line is in the middle.
  const lineAt = (width - 22 - letters * 7.3 - names * 7) / (drift.sides.length ? 1 : 2);
  const valueAt = lineAt + 14;
  const nameAt = valueAt + letters * 7.3 + 8;
  const startAt = 14; // both sums come in on the exact value
  const level = at => bottom - ((at - drift.low) / (drift.high - drift.low)) * (bottom - top);
  const across = share => startAt + share * (lineAt - startAt);
  const last = Math.max(0, ...drift.sides.map(side => side.points.length));

  write(svg, width, 10, drift.unit, 'quiet', 'end');
  drawLine();
  if (drift.sides.length) rule(svg, 0, level(0), lineAt, level(0), 'exact');
  write(svg, 0, 10, drift.above, 'quiet');
  write(svg, 0, bottom + 14, drift.below, 'quiet halo');
  const sums = shape(svg, 'g');
  drift.sides.forEach(drawPhases);
  drift.ends.toReversed().forEach(({kind, shared, at}) => {
    // The exact value is no float: its mark is beside the line, where no result can cover it.
    if (kind === 'exact') symbol(svg, lineAt - 15, level(at), kind, 5);
    else symbol(svg, lineAt, level(at), kind, shared && kind === 'first' ? 3.5 : 6);
  });
  return {last, move};

  // The vertical float line: ticks with the values that have room between those of the results.
  function drawLine() {
    rule(svg, lineAt, top - 8, lineAt, bottom + 8, 'axis');
    const labels = spread(drift.ends.filter(end => end.name));
    for (const label of labels) {
      const look = label.shared || label.kind === 'exact' ? 'strong' : `strong text-${label.kind}`;
      const y = level(label.at);
      if (Math.abs(label.y - y) > 1) rule(svg, lineAt + 7, y, valueAt - 3, label.y, 'axis');
      write(svg, valueAt, label.y + 4, textOf(label), `value ${look}`);
      write(svg, nameAt, label.y + 4, label.name, look);
    }
    const taken = labels.map(label => label.y);
    for (const tick of drift.ticks) {
      const y = level(tick.at);
      rule(svg, lineAt - 6, y, lineAt + 6, y, 'tick');
      if (drift.sides.length) rule(svg, 0, y, lineAt - 6, y, 'grid');
      if (taken.some(other => Math.abs(other - y) < 16)) continue;
      taken.push(y);
      write(svg, valueAt, y + 4, textOf(tick), 'value quiet');
    }
  }

  // Ends as labels, each at a `y` near its place that leaves room for the others.
  function spread(ends) {
    const gap = 19;
    const labels = ends.map(end => ({...end, y: level(end.at)})).sort((one, other) => one.y - other.y);
    labels.forEach((label, i) => { label.y = Math.max(label.y, i ? labels[i - 1].y + gap : top); });
    labels.toReversed().forEach((label, i, upwards) => { label.y = Math.min(label.y, i ? upwards[i - 1].y - gap : bottom); });
    return labels;
  }

  // A running sum is a line of steps: each holds from its operation to the next.
  function move(step) {
    const share = last ? step / last : 1;
    sums.replaceChildren();
    if (share < 1) rule(sums, across(share), top - 8, across(share), bottom + 8, 'axis');
    return drift.sides.toReversed().flatMap(({kind, name, points, marked}) => {
      const done = Math.ceil(points.length * share);
      const steps = points.slice(0, done).map(([at], i) => `V${level(at)}H${across(Math.min((i + 1) / points.length, share))}`);
      shape(sums, 'path', {d: `M0,${level(0)}H${startAt}${steps.join('')}`, class: `curve stroke-${kind}`});
      for (const i of marked.filter(i => i < done)) {
        shape(sums, 'circle', {cx: across(i / points.length), cy: level(points[i][0]), r: 4.5, class: 'here'});
      }
      if (!done || share === 1) return [];
      const [at, unit, row, text] = points[done - 1];
      symbol(sums, across(share), level(at), kind, 5);
      return [{kind, name, unit, row, text}];
    }).reverse();
  }

  // The name of a side at its first phase, and the phases where they begin, in the words that have room.
  function drawPhases({kind, name, phases}) {
    const first = kind === 'first';
    const y = first ? bottom + 14 : height - 3;
    const startOf = phase => (phase.start ? across(phase.start) + 5 : first ? 92 : 0); // right of the direction's name
    phases.forEach((phase, i) => {
      const x = startOf(phase);
      if (i) rule(svg, x - 5, bottom + 16, x - 5, height, 'axis');
      const room = (phases[i + 1] ? startOf(phases[i + 1]) - 10 : width) - x;
      const texts = i ? [phase.text, phase.short] : [`${name}: ${phase.text}`, phase.text, phase.short];
      write(svg, x, y, texts.find(text => text.length * 6.6 < room) ?? '', `halo text-${kind}`);
    });
  }
}
