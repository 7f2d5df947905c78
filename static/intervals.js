// What printed numbers may be: for each a bar over all floats that print so; a single float is a symbol.
// The data is a Line of lib/paste/picture: every place is a fraction of the line's width.
const {write, writeInside, rule, box, ruler, sheet, symbol, SIGN} = await import('./kit.js' + new URL(import.meta.url).search);

export function intervals(host, {label, rows, axis, ticks}) {
  const narrow = host.clientWidth < 560;
  const left = narrow ? 0 : 132;
  const [top, step] = narrow ? [50, 62] : [30, 46];
  const bottom = top + (rows.length - 1) * step;
  const [svg, width] = sheet(host, bottom + 34, label);
  const across = place => left + place * (width - left);
  rows.forEach(drawRow);
  writeAxis();

  function drawRow({span, who, name, one, says}, i) {
    const y = top + i * step;
    const [from, to] = span.map(across);
    const middle = (from + to) / 2;
    const length = Math.max(3, to - from);
    write(svg, 0, narrow ? y - 26 : y + 5, SIGN[who] ? `${SIGN[who]} ${name}` : name, `value strong text-${who}`);
    ruler(svg, left, width, y, ticks.map(across), 5);
    if (one) symbol(svg, middle, y, who);
    else box(svg, from, y - 8, length, 16, `bar stroke-${who}`, {rx: Math.min(8, length / 2)});
    writeInside(svg, middle, y - 13, says, 'quiet halo', width);
  }

  // A number that would touch the one before is left out.
  function writeAxis() {
    let free = 0;
    for (const {at, text} of axis) {
      const x = across(at);
      rule(svg, x, bottom + 10, x, bottom + 15, 'axis');
      if (x >= free) free = x + 8 + writeInside(svg, x, bottom + 29, text, 'quiet', width).getComputedTextLength();
    }
  }
}
