// The float line: ticks are floats, the diamond is the exact value, each result sits on a tick, and a label above it says
// whose it is. `picture` is a DerivativeDrawing of lib/derivative/drawing, or the line of a BatchDrawing of
// lib/batch/drawing; it has a label for each side, or one for both. Values beyond one end of the line stand side by side
// in their order, one text below the other. Without a `line` nothing is to scale. `description` is the picture in words.
const {clamp, shape, write, writeInside, rule, box, ruler, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function floatLine(host, {labels, line}, description) {
  const narrow = host.clientWidth < 560;
  const beyond = line ? labels.filter(label => label.at === null) : [];
  const low = beyond.filter(label => label.side === 'low'); // the farthest first
  const high = beyond.filter(label => label.side !== 'low').reverse();
  const rowOf = label => (narrow ? 1 : 0) + Math.max(low.indexOf(label), high.indexOf(label));
  const rows = Math.max(0, ...beyond.map(rowOf));
  const height = narrow ? 200 + 17 * Math.max(0, rows - 1) : 168 + 17 * rows;
  const [svg, width] = sheet(host, height, description);
  const y = height - (line ? 52 + 17 * rows : 32);
  const stems = shape(svg, 'g');
  const across = line ? toScale() : inOrder();
  labels.filter(label => label.at === null).forEach(writeEnd);
  let first; // the label that is placed first
  labels.toSorted((one, other) => (one.kind < other.kind ? -1 : 1)).forEach(placeLabel);

  function toScale() {
    const margin = Math.min(70, width * 0.09) * (beyond.length ? 2 : 1);
    const places = line.ticks.map(tick => tick.at);
    const [from, to] = [places[0], places.at(-1)];
    const scale = place => margin + ((place - from) / (to - from)) * (width - 2 * margin);
    ruler(svg, 0, width, y, places.map(scale), 9);
    writeValues(scale);
    symbol(svg, scale(line.exact), y, 'exact', 5);
    for (const {at, kind} of labels) if (at !== null) symbol(svg, scale(at), y, kind, 7);
    writeInside(svg, scale(line.exact), y + 46 + 17 * rows, `exact ${line.exact_text}`, 'strong halo', width);
    return label => {
      if (label.at !== null) return scale(label.at);
      if (label.side === 'none') return width - 60;
      return label.side === 'low' ? 12 + 20 * low.indexOf(label) : width - 12 - 20 * high.indexOf(label);
    };
  }

  // The values under the ticks, those with a result first, the others where there is room.
  function writeValues(scale) {
    const aside = ([end]) => (end && !narrow ? 7.6 * (end.text.length + 3) : 0); // room for the text at an end
    const [left, right] = [aside(low), width - aside(high)];
    const longest = Math.max(...line.ticks.map(tick => tick.text.length));
    const room = narrow ? 52 : Math.max(98, 7.6 * longest + 12);
    const half = narrow ? 27 : room / 2 - 13;
    const kinds = new Map(labels.map(label => [label.at, label.kind]));
    const taken = [];
    for (const {at, text} of line.ticks.toSorted((one, other) => kinds.has(other.at) - kinds.has(one.at))) {
      const x = scale(at);
      if (x - half < left || x + half > right || taken.some(other => Math.abs(other - x) < room)) continue;
      taken.push(x);
      const short = narrow && text.length > 6 ? `…${text.replace(/e.*/, '').slice(-5)}` : text;
      write(svg, x, y + 27, short, kinds.has(at) ? `value strong text-${kinds.get(at)}` : 'value quiet', 'middle');
    }
  }

  // Numbers at equal distances, in their order; NaN beside the line.
  function inOrder() {
    const count = labels.filter(label => label.side !== 'none').length;
    const end = count < labels.length ? width * 0.72 : width;
    if (!count) return () => width / 2;
    rule(svg, 0, y, end, y, 'axis');
    return label => (label.side === 'none' ? width * 0.86 : (end / (count + 1)) * (labels.indexOf(label) + 1));
  }

  // A value that is not on the line: its symbol at the end, and the value itself.
  function writeEnd(label) {
    const {side, text, kind} = label;
    const x = across(label);
    const ends = {low: [0, `← ${text}`, 'start'], high: [width, `${text} →`, 'end']};
    const [place, words, anchor] = ends[line && side] ?? [x, text, 'middle'];
    if (side !== 'none') symbol(svg, x, y, kind, 7);
    write(svg, place, y + 27 + (line ? 17 * rowOf(label) : 0), words, `value strong text-${kind}`, anchor);
  }

  // A label stands over its mark, the second above the first where they would overlap; stems pass behind both.
  function placeLabel(label) {
    const {kind, lines} = label;
    const group = shape(svg, 'g');
    lines.forEach((text, i) => {
      const strong = i === 0 || text.startsWith('off') ? 'strong' : '';
      write(group, 0, 17 * i, text, `halo ${strong} text-${kind}`, 'middle');
    });
    const {x: left, y: top, width: wide, height: tall} = group.getBBox();
    group.prepend(box(group, left - 3, top, wide + 6, tall, 'plate'));
    const half = wide / 2 + 4;
    const mark = across(label);
    const x = clamp(mark, half, width - half);
    const overlaps = first && Math.abs(x - first.x) < half + first.half;
    const foot = y - 38 - (overlaps ? first.tall + 6 : 0);
    first ??= {x, half, tall: 17 * lines.length};
    group.setAttribute('transform', `translate(${x},${foot - 17 * lines.length + 13})`);
    if (label.at !== null || label.side !== 'none') rule(stems, mark, foot, mark, y, `stem stroke-${kind}`);
  }
}
