// The derivative at one x: the float line, with a label above each float on which autograd or a formula ends.
// `picture` is the data of lib/derivative/line: `labels` with `kind`, `lines` and `text`, and with `at`, the place on
// `line`, or `side`, the end beyond which a value lies. Without a `line` nothing is to scale.
function derivativeLine(host, picture, label) {
  const height = host.clientWidth < 560 ? 230 : 176;
  const y = height - 44;
  const {svg, width, across} = picture.line ? toScale() : notToScale();
  const marks = picture.labels.map(mark => ({...mark, x: across(mark)}));
  for (const mark of marks) {
    if (mark.at === null) writeEnd(mark);
  }
  const order = ['first', 'second', 'other'];
  placeLabels(svg, [...marks].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind)));

  function toScale() {
    const marks = picture.labels.filter(mark => mark.at !== null).map(mark => ({...mark, lines: []}));
    const aside = marks.length < picture.labels.length;
    const line = floatLine(host, {...picture.line, marks}, {label, height, aside});
    const ends = {low: 12, high: line.width - 12, none: line.width - 60};
    return {...line, across: mark => mark.at === null ? ends[mark.side] : line.across(mark.at)};
  }

  // Numbers at equal distances, in their order; NaN beside the line.
  function notToScale() {
    const [svg, width] = sheet(host, height, label);
    const numbers = picture.labels.filter(mark => mark.side !== 'none');
    const beside = numbers.length < picture.labels.length ? width * 0.72 : width;
    rule(svg, 0, y, numbers.length ? beside : 0, y, 'axis');
    const step = beside / (numbers.length + 1);
    const places = new Map(numbers.map((mark, i) => [mark.text, step * (i + 1)]));
    return {svg, width, across: mark => places.get(mark.text) ?? (numbers.length ? width * 0.86 : width / 2)};
  }

  // A value that is not on the line: its symbol at the end, and the value itself.
  function writeEnd(mark) {
    const arrow = {low: '← ', high: '', none: ''}[picture.line ? mark.side : 'none'];
    const tail = picture.line && mark.side === 'high' ? ' →' : '';
    const anchor = !picture.line || mark.side === 'none' ? 'middle' : mark.side === 'low' ? 'start' : 'end';
    const x = anchor === 'start' ? 0 : anchor === 'end' ? width : mark.x;
    if (mark.side !== 'none') symbol(svg, mark.x, y, mark.kind, 7);
    write(svg, x, y + 27, arrow + mark.text + tail, `value strong text-${mark.kind}`, anchor);
  }

  // Each label stands over its mark, raised above those that it would overlap.
  function placeLabels(svg, marks) {
    const placed = [];
    const stems = svg.insertBefore(draw(svg, 'g'), svg.firstChild);
    for (const mark of marks) {
      const group = draw(svg, 'g');
      mark.lines.forEach((line, i) => {
        const strong = i === 0 || line.startsWith('off') ? 'strong ' : '';
        write(group, 0, 17 * i, line, `halo ${strong}text-${mark.kind}`, 'middle');
      });
      const half = group.getBBox().width / 2 + 4;
      const box = {x: Math.max(half, Math.min(width - half, mark.x)), half, tall: 17 * mark.lines.length, foot: y - 38};
      let under;
      while ((under = placed.find(other => overlap(box, other)))) box.foot = under.foot - under.tall - 6;
      placed.push(box);
      group.setAttribute('transform', `translate(${box.x},${box.foot - box.tall + 13})`);
      if (mark.side !== 'none') rule(stems, mark.x, box.foot, mark.x, y, `stem stroke-${mark.kind}`);
    }
  }

  function overlap(one, other) {
    const across = Math.abs(one.x - other.x) < one.half + other.half;
    return across && one.foot - one.tall < other.foot + 4 && other.foot - other.tall < one.foot + 4;
  }
}
