// What printed numbers may be: for each a bar over all floats that print so, or single floats where these are known.
// `data` is the picture of lib/paste/picture: every place is a fraction of the line's width.
const {write, writeInside, rule, box, ruler, numbers, measure, sheet, symbol, SIGN} = await import('./kit.js' + new URL(import.meta.url).search);

export function intervals(host, {label, rows, axis, ticks, magnified}) {
  const narrow = host.clientWidth < 560;
  const left = narrow || !rows.length ? 0 : 132;
  const step = narrow ? 62 : 46;
  const top = narrow ? 50 : 30;
  const axisY = top + (rows.length - 1) * step;
  const rowsHeight = rows.length ? axisY + 34 : 0;
  const lineY = rowsHeight + (rows.length && narrow ? 70 : 50);
  const [svg, full] = sheet(host, magnified ? lineY + 68 : rowsHeight, label);
  const across = place => left + place * (full - left);
  const lined = (places, y, reach) => ruler(svg, left, full, y, places.map(across), reach);

  rows.forEach((row, i) => drawRow(row, top + i * step));
  numbers(svg, axis, across, axisY + 10, full);
  if (magnified) drawFloats(magnified);

  // A number: its text, and the bar of the floats that print so; a single float is its symbol.
  function drawRow({span, who, name, one, says}, y) {
    const [from, to] = span.map(across);
    write(svg, 0, narrow ? y - 26 : y + 5, `${SIGN[who] ?? ''} ${name}`.trim(), `value strong text-${who}`);
    lined(ticks, y, 5);
    const width = Math.max(3, to - from);
    if (one) symbol(svg, (from + to) / 2, y, who, 6);
    else box(svg, from, y - 8, width, 16, `bar stroke-${who}`, {rx: Math.min(8, width / 2)});
    writeInside(svg, (from + to) / 2, y - 13, says, 'quiet halo', full);
  }

  function drawFloats({ticks, marks: unsorted, bracket, below}) {
    lined(ticks, lineY, 9);
    const marks = [...unsorted].sort((one, other) => one.at - other.at);
    // On one float both shapes are seen: the square is the larger one, and drawn first.
    const together = marks.length > 1 && marks[0].at === marks[1].at;
    if (together) marks.sort((one, other) => (one.who < other.who ? 1 : -1));
    marks.forEach(({at, who, name}, i) => {
      const x = across(at);
      rule(svg, x, lineY - 28, x, lineY, `stem stroke-${who}`);
      symbol(svg, x, lineY, who, !together ? 7 : who === 'second' ? 9 : 4.5);
      if (!name) return;
      // Two names side by side are turned away from one another where there is little room.
      const apart = marks.length < 2 || together || across(marks[1].at) - across(marks[0].at) > 110;
      const anchor = apart ? 'middle' : i ? 'start' : 'end';
      const aside = {start: -6, middle: 0, end: 6}[anchor];
      writeInside(svg, x + aside, lineY - 34 - (together ? 16 * i : 0), name, `strong text-${who} halo`, full, anchor);
    });
    if (bracket) {
      const [from, to] = bracket.span.map(across);
      measure(svg, from, to, lineY + 20);
      writeInside(svg, (from + to) / 2, lineY + 41, bracket.says, 'strong', full);
    }
    const middle = bracket ? (bracket.span[0] + bracket.span[1]) / 2 : marks[0].at;
    writeInside(svg, across(middle), lineY + 63, below, 'quiet', full);
  }
}
