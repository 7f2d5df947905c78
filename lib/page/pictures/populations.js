// Two populations of errors on one axis of powers of ten: right rows, and wrong ones. A bar is as tall as its share of
// the entries; the factor stands between the typical errors. The populations of the experiment before stay as dashed
// outlines. `data` is that of lib/pitfall/populations, its `errors`.
function populations(host, {bars, ghost, ghost_name, wide, ticks, names, factor}) {
  const height = 318;
  const label = names.map(({lines}) => lines.join(', ')).join('; ');
  const [svg, width] = sheet(host, height, `Histogram of errors: ${label || 'none so far'}`);
  const [floor, ceiling] = [height - 44, 76];
  const looks = {right: 'second', single: 'differ'};
  const column = ({at, tall, kind}, look) => {
    const high = Math.max(1.5, (floor - ceiling) * tall);
    return box(svg, width * at + 0.5, floor - high, Math.max(2, width * wide - 1), high, look ?? `fill-${looks[kind]}`);
  };
  for (const bar of bars) draw(column(bar), 'title', {}, bar.text);
  for (const bar of ghost) column(bar, 'ghost');
  rule(svg, 0, floor, width, floor, 'axis');
  numbers(svg, ticks, at => width * at, floor, width);
  write(svg, width, height - 4, 'absolute error of an entry', 'quiet', 'end');
  if (ghost_name) write(svg, 0, height - 4, `dashed: ${ghost_name}`, 'quiet');

  // The name of each population and its typical error, above it as far as there is room.
  let limit = width;
  for (const {kind, at, lines} of [...names].reverse()) {
    const half = 3.9 * Math.max(...lines.map(line => line.length));
    const x = Math.max(half, Math.min(width * at, limit - half));
    lines.forEach((line, i) => write(svg, x, 14 + 18 * i, line, `${i ? '' : 'strong '}text-${looks[kind]}`, 'middle'));
    limit = x - half - 8;
  }
  if (!factor) return;
  const [from, to] = names.map(({at}) => width * at);
  measure(svg, from, to, 48);
  write(svg, (from + to) / 2, 66, factor, 'strong halo', 'middle');
}
