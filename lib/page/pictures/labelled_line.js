// The float line with a label above each float on which a result ends: a derivative by autograd or a formula, a sum alone
// `picture` is the data of lib/derivative/line: `labels` with `kind`,
// `lines` and `text`, and with `at`, the place on `line`, or `side`, the end beyond which a value lies: values beyond one
// end stand side by side in their order, one text below the other. `notes` have a `text` for a place `at`. Without a
// `line` nothing is to scale.
function labelledLine(host, picture, label) {
  const narrow = host.clientWidth < 560;
  const height = narrow ? 230 : 164;
  const beyond = picture.line ? picture.labels.filter(mark => mark.at === null) : [];
  const low = beyond.filter(mark => mark.side === 'low'); // the farthest first
  const high = beyond.filter(mark => mark.side !== 'low').reverse();
  const rowOf = mark => (narrow ? 1 : 0) + Math.max(low.indexOf(mark), high.indexOf(mark));
  const rows = Math.max(0, ...beyond.map(rowOf));
  const {svg, width, y, across} = picture.line ? toScale() : notToScale();
  const marks = picture.labels.map(mark => ({...mark, x: across(mark), row: rowOf(mark)}));
  for (const mark of marks) {
    if (mark.at === null) writeEnd(mark);
  }
  const order = ['first', 'second', 'other'];
  const stems = svg.insertBefore(draw(svg, 'g'), svg.firstChild);
  const placed = [];
  for (const mark of [...marks].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))) {
    placeLabel(mark, mark.lines.map((line, i) => [line, i === 0 || line.startsWith('off') ? 'strong ' : '']));
  }
  for (const note of picture.notes ?? []) placeLabel({kind: 'other', x: across(note)}, [[note.text, '']]);
  if (picture.line) placeExact();

  function toScale() {
    const marks = picture.labels.filter(mark => mark.at !== null);
    const wide = mark => (mark && !rowOf(mark) ? 7.4 * (mark.text.length + 3) : 0);
    const aside = beyond.length ? {low: wide(low[0]), high: wide(high[0])} : null;
    const size = {height: height + 17 * Math.max(0, narrow ? rows - 1 : rows), below: 32 + 17 * rows};
    const line = floatLine(host, {...picture.line, marks}, {label, ...size, aside});
    const out = mark => {
      if (mark.side === 'none') return line.width - 60;
      return mark.side === 'low' ? 12 + 20 * low.indexOf(mark) : line.width - 12 - 20 * high.indexOf(mark);
    };
    return {...line, across: mark => (mark.at === null ? out(mark) : line.across(mark.at))};
  }

  // Numbers at equal distances, in their order; NaN beside the line.
  function notToScale() {
    const [svg, width] = sheet(host, height, label);
    const y = height - 32;
    const numbers = picture.labels.filter(mark => mark.side !== 'none');
    const beside = numbers.length < picture.labels.length ? width * 0.72 : width;
    rule(svg, 0, y, numbers.length ? beside : 0, y, 'axis');
    const step = beside / (numbers.length + 1);
    const places = new Map(numbers.map((mark, i) => [mark.text, step * (i + 1)]));
    return {svg, width, y, across: mark => places.get(mark.text) ?? (numbers.length ? width * 0.86 : width / 2)};
  }

  // A value that is not on the line: its symbol at the end, and the value itself.
  function writeEnd(mark) {
    const arrow = {low: '← ', high: '', none: ''}[picture.line ? mark.side : 'none'];
    const tail = picture.line && mark.side === 'high' ? ' →' : '';
    const anchor = !picture.line || mark.side === 'none' ? 'middle' : mark.side === 'low' ? 'start' : 'end';
    const x = anchor === 'start' ? 0 : anchor === 'end' ? width : mark.x;
    if (mark.side !== 'none') symbol(svg, mark.x, y, mark.kind, 7);
    const foot = y + 27 + (picture.line ? 17 * mark.row : 0);
    write(svg, x, foot, arrow + mark.text + tail, `value strong text-${mark.kind}`, anchor);
  }

  // The exact value beside the stem of its diamond, low, where no other stem is in the way; else above other labels.
  function placeExact() {
    const x = across({at: picture.line.exact});
    const lines = [[`exact ${picture.line.exact_text}`, 'strong ']];
    const text = write(svg, x + 8, y - 20, lines[0][0], 'halo strong');
    const long = text.getComputedTextLength();
    const stemsAt = [...marks.map(mark => mark.x), ...(picture.notes ?? []).map(across)];
    const isFree = start => {
      const clear = stemsAt.every(stem => stem < start - 3 || stem > start + long + 3);
      return clear && start >= 0 && start + long <= width;
    };
    const start = [x + 8, x - 8 - long].find(isFree);
    if (start === undefined) {
      text.remove();
      placeLabel({kind: 'exact', x}, lines);
      return;
    }
    text.setAttribute('x', start);
    rule(stems, x, y - 32, x, y, 'exact');
  }

  // A label stands over its mark, raised above those that it would overlap.
  function placeLabel(mark, lines) {
    const group = draw(svg, 'g');
    lines.forEach(([line, look], i) => write(group, 0, 17 * i, line, `halo ${look}text-${mark.kind}`, 'middle'));
    const {x, y: top, width: wide, height: tall} = group.getBBox();
    const plate = draw(group, 'rect', {x: x - 3, y: top, width: wide + 6, height: tall, class: 'plate'}); // stems pass behind it
    group.prepend(plate);
    const half = wide / 2 + 4;
    const box = {x: Math.max(half, Math.min(width - half, mark.x)), half, tall: 17 * lines.length, foot: y - 38};
    let under;
    while ((under = placed.find(other => overlap(box, other)))) box.foot = under.foot - under.tall - 6;
    placed.push(box);
    group.setAttribute('transform', `translate(${box.x},${box.foot - box.tall + 13})`);
    const look = mark.kind === 'exact' ? 'exact' : `stem stroke-${mark.kind}`;
    if (mark.side !== 'none') rule(stems, mark.x, box.foot, mark.x, y, look);
  }

  function overlap(one, other) {
    const across = Math.abs(one.x - other.x) < one.half + other.half;
    return across && one.foot - one.tall < other.foot + 4 && other.foot - other.tall < one.foot + 4;
  }
}
