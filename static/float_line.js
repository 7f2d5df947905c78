// The float line: ticks are floats, the diamond is the exact value, and each result sits on a tick.
// `line` is the data of lib/floats/float_line; its marks also have `kind`, 'first', 'second' or 'other'. `label`
// describes the picture in words. `aside` leaves room at both ends for what lies far out: null, or how wide the texts
// about it are there, `low` and `high`, beside which no values are written; `below` is the room under the line. Returns
// the drawing, the height of the line in it, and where a place on the line is across.
const {write, ruler, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function floatLine(host, line, {label, height, below, aside}) {
  const [svg, width] = sheet(host, height, label);
  const narrow = width < 560;
  const margin = Math.min(70, width * 0.09) * (aside ? 2 : 1);
  const y = height - below;
  const places = line.ticks.map(tick => tick.at);
  const low = Math.min(...places);
  const high = Math.max(...places, low + 1);
  const across = place => margin + ((place - low) / (high - low)) * (width - 2 * margin);

  ruler(svg, 0, width, y, places.map(across), 9);
  writeValues();
  symbol(svg, across(line.exact), y, 'exact', 5);
  for (const mark of line.marks) symbol(svg, across(mark.at), y, mark.kind, 7);
  return {svg, width, y, across};

  // The values under the ticks, those with a result first, the others where there is room.
  function writeValues() {
    const longest = Math.max(...line.ticks.map(tick => tick.text.length));
    const room = narrow ? 52 : Math.max(98, 7.6 * longest + 12);
    const half = narrow ? 27 : room / 2 - 13;
    const kinds = new Map(line.marks.map(mark => [mark.at, mark.kind]));
    const taken = [];
    const order = [...line.ticks].sort((one, other) => kinds.has(other.at) - kinds.has(one.at) || one.at - other.at);
    for (const {at, text} of order) {
      const x = across(at);
      const outside = x - half < (aside?.low ?? 0) || x + half > width - (aside?.high ?? 0);
      if (outside || taken.some(other => Math.abs(other - x) < room)) continue;
      taken.push(x);
      const short = narrow && text.length > 6 ? `…${text.replace(/e.*/, '').slice(-5)}` : text;
      write(svg, x, y + 27, short, kinds.has(at) ? `value strong text-${kinds.get(at)}` : 'value quiet', 'middle');
    }
  }
}
