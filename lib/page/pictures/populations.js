// Two populations of errors on one axis of powers of ten: right rows, and wrong ones. A bar is as tall as its
// share of the entries; the factor stands between the typical errors. The populations of the experiment before stay as a
// dashed outline. `data` is that of lib/pitfall/opening, its `errors`.
function populations(host, data) {
  const height = 326;
  const [svg, width] = sheet(host, height, data.label);
  const floor = height - 44;
  const ceiling = 64;
  const looks = {right: 'second', single: 'differ'};

  for (const bar of data.bars) {
    const tall = Math.max(1.5, (floor - ceiling) * bar.tall);
    const box = {x: width * bar.at + 0.5, y: floor - tall, width: Math.max(2, width * data.wide - 1), height: tall};
    const mark = draw(svg, 'rect', {...box, class: `fill-${looks[bar.kind]}`});
    draw(mark, 'title', {}, bar.text);
  }
  rule(svg, 0, floor, width, floor, 'axis');
  for (const tick of data.ticks) {
    const x = width * tick.at;
    rule(svg, x, floor, x, floor + 5, 'axis');
    write(svg, x, floor + 19, tick.text, 'quiet', x < 14 ? 'start' : x > width - 14 ? 'end' : 'middle');
  }
  write(svg, data.ghost_name ? width : width / 2, height - 4, data.axis, 'quiet', data.ghost_name ? 'end' : 'middle');
  if (data.ghost_name) outline();
  writeNames();
  if (data.factor) writeFactor();

  // The bars of the experiment before, as one line around each run of neighbours.
  function outline() {
    const steps = [...data.ghost].sort((one, other) => one.kind.localeCompare(other.kind) || one.at - other.at);
    let path = '';
    let last = {at: -1};
    for (const step of steps) {
      const joined = last.kind === step.kind && Math.abs(step.at - last.at - data.wide) < 0.001;
      if (!joined) path += `${path ? `V${floor}` : ''}M${width * step.at},${floor}`;
      path += `V${floor - (floor - ceiling) * step.tall}H${width * (step.at + data.wide)}`;
      last = step;
    }
    draw(svg, 'path', {d: `${path}V${floor}`, class: 'outline'});
    draw(svg, 'path', {d: `M0,${height - 8}H18`, class: 'outline'});
    write(svg, 24, height - 4, data.ghost_name, 'quiet');
  }

  // The name of each population and its typical error, above it as far as there is room.
  function writeNames() {
    let limit = width;
    for (const name of [...data.names].reverse()) {
      const half = 3.6 * Math.max(...name.lines.map(line => line.length));
      const x = Math.max(half, Math.min(width * name.at, limit - half));
      name.lines.forEach((line, i) => {
        write(svg, x, 14 + 18 * i, line, `${i ? '' : 'strong '}text-${looks[name.kind]}`, 'middle');
      });
      limit = x - half - 8;
    }
  }

  // A line from one typical error to the other.
  function writeFactor() {
    const [from, to] = data.names.map(name => width * name.at);
    const y = 48;
    rule(svg, from, y, to, y, 'axis');
    for (const x of [from, to]) rule(svg, x, y - 4, x, y + 4, 'axis');
    write(svg, (from + to) / 2, y + 18, data.factor, 'strong halo', 'middle');
  }
}
