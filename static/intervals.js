// What printed numbers may be: for each a bar over all floats that print so; a single float is a symbol.
// `data` is the picture of lib/paste/picture: every place is a fraction of the line's width.
const {write, writeInside, rule, box, ruler, numbers, sheet, symbol, SIGN} = await import('./kit.js' + new URL(import.meta.url).search);

export function intervals(host, {label, rows, axis, ticks}) {
  const narrow = host.clientWidth < 560;
  const left = narrow || !rows.length ? 0 : 132;
  const step = narrow ? 62 : 46;
  const top = narrow ? 50 : 30;
  const axisY = top + (rows.length - 1) * step;
  const rowsHeight = rows.length ? axisY + 34 : 0;
  const [svg, full] = sheet(host, rowsHeight, label);
  const across = place => left + place * (full - left);
  const lined = (places, y, reach) => ruler(svg, left, full, y, places.map(across), reach);

  rows.forEach((row, i) => drawRow(row, top + i * step));
  numbers(svg, axis, across, axisY + 10, full);

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
}
