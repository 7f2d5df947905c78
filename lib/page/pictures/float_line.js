// The float line: ticks are floats, the diamond is the exact value, and each result sits on a tick.
// `line` is the data of lib/display/float_line; its marks also have `kind` ('first' or 'second') and `lines`, the texts
// of their labels. `label` describes the picture in words, `note` stands above the line's end, and `aside` leaves room
// at both ends for what lies far out. Returns the drawing, and where a place on the line is across.
function floatLine(host, line, {label, note = '', height = 150, aside = false}) {
  const [svg, width] = sheet(host, height, label);
  const narrow = width < 560;
  const margin = Math.min(70, width * 0.09) * (aside ? 2 : 1);
  const y = height - 44;
  const places = line.ticks.map(tick => tick.at);
  const low = Math.min(...places);
  const high = Math.max(...places, low + 1);
  const across = place => margin + ((place - low) / (high - low)) * (width - 2 * margin);

  rule(svg, 0, y, width, y, 'axis');
  for (const tick of line.ticks) rule(svg, across(tick.at), y - 9, across(tick.at), y + 9, 'tick');
  writeValues();
  const exact = across(line.exact);
  rule(svg, exact, y - 30, exact, y, 'exact');
  symbol(svg, exact, y, 'exact', 5);
  const side = exact < width * 0.25 ? 'start' : exact > width * 0.75 ? 'end' : 'middle';
  write(svg, exact, height - 2, `exact ${line.exact_text}`, 'value strong', side);
  const marks = line.marks.map(mark => ({...mark, x: across(mark.at)}));
  for (const mark of marks) writeMark(mark);
  if (note) write(svg, width, 14, note, 'quiet strong', 'end');
  return {svg, width, across};

  // The values under the ticks, those with a result first, the others where there is room.
  function writeValues() {
    const longest = Math.max(...line.ticks.map(tick => tick.text.length));
    const room = narrow ? 58 : Math.max(98, 7.4 * longest + 12);
    const kinds = new Map(line.marks.map(mark => [mark.at, mark.kind]));
    const taken = [];
    const order = [...line.ticks].sort((one, other) => kinds.has(other.at) - kinds.has(one.at) || one.at - other.at);
    for (const tick of order) {
      const x = across(tick.at);
      const half = narrow ? 36 : room / 2 - 13;
      if (x < half || x > width - half || taken.some(other => Math.abs(other - x) < room)) continue;
      taken.push(x);
      const text = narrow && tick.text.length > 6 ? '…' + tick.text.replace(/e.*/, '').slice(-5) : tick.text;
      const look = kinds.has(tick.at) ? `value strong text-${kinds.get(tick.at)}` : 'value quiet';
      write(svg, x, y + 27, text, look, 'middle');
    }
  }

  // A result: its symbol on the tick, and its label above, turned away from a neighbouring label.
  function writeMark(mark) {
    const near = marks.filter(other => other !== mark && Math.abs(other.x - mark.x) < 150);
    const anchor = !near.length ? 'middle' : near.some(other => other.x > mark.x) ? 'end' : 'start';
    const shift = {start: -8, middle: 0, end: 8}[anchor];
    rule(svg, mark.x, y - 34, mark.x, y, `stem stroke-${mark.kind}`);
    symbol(svg, mark.x, y, mark.kind, 7);
    mark.lines.forEach((text, i) => {
      const look = `${i ? '' : 'strong '}text-${mark.kind}`;
      const x = Math.max(4, Math.min(width - 4, mark.x + shift));
      write(svg, x, y - 42 - 17 * (mark.lines.length - 1 - i), text, look, anchor);
    });
  }
}
