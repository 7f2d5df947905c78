// The float line with a label above the floats on which autograd's derivative and a formula's end.
// `picture` is a DerivativeDrawing of lib/derivative/drawing, or the line of a BatchDrawing of lib/batch/drawing. Values
// beyond one end of the line stand side by side in their order, one text below the other. Without a `line` nothing is to
// scale.
const {shape, write, writeInside, rule, box, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);
const {floatLine} = await import('./float_line.js' + new URL(import.meta.url).search);

export function labelledLine(host, picture, label) {
  const narrow = host.clientWidth < 560;
  const height = narrow ? 200 : 148;
  const {labels, line} = picture;
  const beyond = line ? labels.filter(mark => mark.at === null) : [];
  const low = beyond.filter(mark => mark.side === 'low'); // the farthest first
  const high = beyond.filter(mark => mark.side !== 'low').reverse();
  const rowOf = mark => (narrow ? 1 : 0) + Math.max(low.indexOf(mark), high.indexOf(mark));
  const rows = Math.max(0, ...beyond.map(rowOf));
  const {svg, width, y, across} = line ? toScale() : notToScale();
  const marks = labels.map(mark => ({...mark, x: across(mark), row: rowOf(mark)}));
  marks.filter(mark => mark.at === null).forEach(writeEnd);
  const stems = svg.insertBefore(shape(svg, 'g'), svg.firstChild);
  const placed = [];
  for (const kind of ['first', 'second']) marks.filter(mark => mark.kind === kind).forEach(placeLabel);
  if (line) writeInside(svg, across({at: line.exact}), y + 46 + 17 * rows, `exact ${line.exact_text}`, 'strong halo', width);

  function toScale() {
    const wide = mark => (mark && !rowOf(mark) ? 7.6 * (mark.text.length + 3) : 0);
    const aside = beyond.length ? {low: wide(low[0]), high: wide(high[0])} : null;
    const size = {height: height + 17 * Math.max(0, narrow ? rows - 1 : rows), below: 52 + 17 * rows};
    const drawn = floatLine(host, {...line, marks: labels.filter(mark => mark.at !== null)}, {label, ...size, aside});
    const out = mark => {
      if (mark.side === 'none') return drawn.width - 60;
      return mark.side === 'low' ? 12 + 20 * low.indexOf(mark) : drawn.width - 12 - 20 * high.indexOf(mark);
    };
    return {...drawn, across: mark => (mark.at === null ? out(mark) : drawn.across(mark.at))};
  }

  // Numbers at equal distances, in their order; NaN beside the line.
  function notToScale() {
    const [svg, width] = sheet(host, height, label);
    const y = height - 32;
    const numbers = labels.filter(mark => mark.side !== 'none');
    const beside = numbers.length < labels.length ? width * 0.72 : width;
    rule(svg, 0, y, numbers.length ? beside : 0, y, 'axis');
    const step = beside / (numbers.length + 1);
    const places = new Map(numbers.map((mark, i) => [mark.text, step * (i + 1)]));
    return {svg, width, y, across: mark => places.get(mark.text) ?? (numbers.length ? width * 0.86 : width / 2)};
  }

  // A value that is not on the line: its symbol at the end, and the value itself.
  function writeEnd({side, text, kind, x, row}) {
    const [before, after, anchor] = !line || side === 'none' ? ['', '', 'middle'] : side === 'low' ? ['← ', '', 'start'] : ['', ' →', 'end'];
    if (side !== 'none') symbol(svg, x, y, kind, 7);
    const at = {start: 0, middle: x, end: width}[anchor];
    write(svg, at, y + 27 + (line ? 17 * row : 0), before + text + after, `value strong text-${kind}`, anchor);
  }

  // A label stands over its mark, raised above those that it would overlap; stems pass behind it.
  function placeLabel({kind, side, x: wanted, lines}) {
    const group = shape(svg, 'g');
    lines.forEach((line, i) => {
      const strong = i === 0 || line.startsWith('off') ? 'strong' : '';
      write(group, 0, 17 * i, line, `halo ${strong} text-${kind}`, 'middle');
    });
    const {x, y: top, width: wide, height: tall} = group.getBBox();
    group.prepend(box(group, x - 3, top, wide + 6, tall, 'plate'));
    const half = wide / 2 + 4;
    const own = {x: Math.max(half, Math.min(width - half, wanted)), half, tall: 17 * lines.length, foot: y - 38};
    let under;
    while ((under = placed.find(other => overlap(own, other)))) own.foot = under.foot - under.tall - 6;
    placed.push(own);
    group.setAttribute('transform', `translate(${own.x},${own.foot - own.tall + 13})`);
    if (side !== 'none') rule(stems, wanted, own.foot, wanted, y, `stem stroke-${kind}`);
  }

  function overlap(one, other) {
    const across = Math.abs(one.x - other.x) < one.half + other.half;
    return across && one.foot - one.tall < other.foot + 4 && other.foot - other.tall < one.foot + 4;
  }
}
