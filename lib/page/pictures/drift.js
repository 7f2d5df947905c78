// How far the running sums of both ways are from the exact sum, operation by operation. They end on the float line.
// `drift` has a `label` in words, `low` and `high`, the ends of the vertical axis in floats from the exact value,
// `above` and `below`, the names of these directions, and `unit`, what a tick stands for. `ticks` are floats (at, text,
// short and perhaps a name); `ends` are the results and the exact value (kind, name, shared, at, text, short). `sides`
// are the running sums: `kind`, `name`, `phases` (from: a share of the way, text, perhaps a short one), `points` (at, unit,
// row, kind of text, what fills its braces), these `texts`, and the numbers of the points `marked`, where both ways first
// differ.
// Returns the stops of a cursor, and a function that shows it at one of them.
function drawDrift(host, drift) {
  const height = host.clientWidth < 480 ? 236 : 252;
  const [svg, width] = sheet(host, height, drift.label);
  const narrow = width < 480;
  const [top, bottom] = [22, height - 30];
  const letters = Math.max(...drift.ends.map(end => textOf(end).length), 0);
  const names = Math.max(...[...drift.ends, ...drift.ticks].map(part => (part.name ?? '').length), 0);
  const texts = 14 + letters * 7.3 + 8 + names * 7;
  const lineAt = (width - texts) / (drift.sides.length ? 1 : 2); // without sums to draw, the line is in the middle
  const valueAt = lineAt + 14;
  const startAt = 14; // both sums come in on the exact value
  const nameAt = valueAt + letters * 7.3 + 8;
  const level = at => bottom - ((at - drift.low) / (drift.high - drift.low)) * (bottom - top);
  const stops = drift.sides.flatMap(stopsOf);

  write(svg, width, 10, drift.unit, 'quiet', 'end');
  drawLine();
  const cursor = draw(svg, 'g');
  if (drift.sides.length) rule(svg, 0, level(0), lineAt, level(0), 'exact');
  write(svg, 0, 10, drift.above, 'quiet');
  write(svg, 0, bottom + 13, drift.below, 'quiet halo');
  for (const side of [...drift.sides].reverse()) drawSum(side);
  for (const side of drift.sides) drawPhases(side);
  for (const end of [...drift.ends].reverse()) markEnd(end);
  const reach = draw(svg, 'rect', {x: 0, y: top - 10, width: lineAt, height: bottom - top + 20, class: 'reach'});
  return {show, stops, reach};

  function textOf(value) {
    return narrow || value.text.length > 17 ? value.short : value.text;
  }

  // The vertical float line: ticks with the values that have room between those of the results.
  function drawLine() {
    rule(svg, lineAt, top - 8, lineAt, bottom + 8, 'axis');
    const labels = drift.ends.filter(end => end.name).map(end => ({...end, y: level(end.at)}));
    const named = drift.ticks.filter(tick => tick.name).map(tick => ({...tick, kind: 'tick', y: level(tick.at)}));
    const placed = spread([...labels, ...named], 19, top, bottom);
    for (const label of placed) {
      const plain = label.shared || label.kind === 'exact';
      const look = label.kind === 'tick' ? 'quiet' : plain ? 'strong' : `strong text-${label.kind}`;
      if (Math.abs(label.free - label.y) > 1) rule(svg, lineAt + 7, label.y, valueAt - 3, label.free, 'lead');
      write(svg, valueAt, label.free + 4, textOf(label), `value ${look}`);
      write(svg, nameAt, label.free + 4, label.name, look);
    }
    const taken = placed.map(label => label.free);
    for (const tick of drift.ticks) {
      const y = level(tick.at);
      rule(svg, lineAt - 6, y, lineAt + 6, y, 'tick');
      if (drift.sides.length) rule(svg, 0, y, lineAt - 6, y, 'grid');
      if (taken.some(other => Math.abs(other - y) < 16)) continue;
      taken.push(y);
      write(svg, valueAt, y + 4, textOf(tick), 'value quiet');
    }
  }

  // A running sum is a line of steps: each holds from its operation to the next.
  function stopsOf(side) {
    const wide = (lineAt - startAt) / side.points.length;
    return side.points.map(([at, unit, row, text, filling], place) => {
      const told = side.texts[text].split('{}').reduce((before, after, i) => before + filling[i - 1] + after);
      const span = {start: startAt + place * wide, end: startAt + (place + 1) * wide};
      return {kind: side.kind, place, unit, row, told, ...span, y: level(at)};
    });
  }

  function drawSum(side) {
    const own = stops.filter(stop => stop.kind === side.kind);
    const steps = own.map(stop => `V${stop.y}H${stop.end}`);
    const before = `M0,${level(0)}H${startAt}`;
    draw(svg, 'path', {d: before + steps.join(''), class: `curve stroke-${side.kind}`});
    for (const {start, y} of side.marked.map(place => own[place])) {
      draw(svg, 'circle', {cx: start, cy: y, r: 4.5, class: 'here'});
    }
  }

  function drawPhases(side) {
    const left = side.kind === 'first' ? 92 : 0; // right of the name of the direction
    const y = side.kind === 'first' ? bottom + 13 : height - 3;
    const startOf = phase => (phase.from ? startAt + phase.from * (lineAt - startAt) + 5 : left);
    side.phases.forEach((phase, i) => {
      const x = startOf(phase);
      if (phase.from) rule(svg, x - 5, bottom + 16, x - 5, height, 'axis');
      const room = (side.phases[i + 1] ? startOf(side.phases[i + 1]) - 10 : width) - x;
      const texts = [...(i ? [] : [`${side.name}: ${phase.text}`]), phase.text, phase.short ?? ''];
      write(svg, x, y, texts.find(text => text.length * 6.4 < room) ?? '', `small halo text-${side.kind}`);
    });
  }

  function markEnd(end) {
    const size = end.kind === 'exact' ? 5 : end.shared && end.kind === 'first' ? 3.5 : 6;
    // The exact value is no float: its mark is beside the line, where no result can cover it.
    symbol(svg, lineAt - (end.kind === 'exact' ? 15 : 0), level(end.at), end.kind, size);
  }

  // Mark a stop of the cursor; none takes the mark away.
  function show(stop) {
    cursor.replaceChildren();
    if (!stop) return;
    const wide = Math.max(2, stop.end - stop.start);
    draw(cursor, 'rect', {x: stop.start, y: top - 8, width: wide, height: bottom - top + 16, class: 'band'});
    rule(cursor, stop.start, stop.y, stop.end, stop.y, `hot stroke-${stop.kind}`);
    symbol(cursor, (stop.start + stop.end) / 2, stop.y, stop.kind, 5);
  }
}
