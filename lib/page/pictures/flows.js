// The paths that merge: outputs at the left, x in the middle, the rows that come back at the right. A ribbon is as wide
// as the gradient that it carries is large. Asked in one call, all ribbons end in the one x and leave it as their sum;
// asked row by row, each has a lane of its own. `drawing` is a drawing of lib/pitfall/merging, `way` 'wrong' or 'right'.
function flows(host, drawing, way) {
  const {outputs, rows, sizes, total, sums, merges} = drawing;
  const {leaf, matrix, label} = drawing[way];
  const narrow = host.clientWidth < 560;
  const height = narrow ? 290 : 310;
  const [svg, width] = sheet(host, height, label);
  const inputs = rows[0].length;
  const crowded = narrow && inputs > 2;
  const cell = narrow ? 42 : inputs > 2 ? 58 : 74;
  const first = narrow ? 19 : 50;
  const last = width - inputs * cell;
  const middle = (first + last) / 2 + (inputs > 2 && !narrow ? 36 : 0);
  const long = 10 + 3.75 * Math.max(0, ...sums.map(text => text.length));
  const added = sums.length > 0 && long < (last - first) / 4;
  const merged = way === 'wrong' && merges;
  const reach = merged && added ? long : crowded ? 24 : 30;
  const centre = height / 2 + 7;
  const gap = Math.min(150, (height - 102) / Math.max(1, outputs.length - 1));
  const place = (i, apart = gap) => centre + (i - (outputs.length - 1) / 2) * apart;
  const lane = i => place(i, merged ? 13 : gap);
  const kind = merged ? 'differ' : 'second';

  write(svg, narrow ? 0 : first, 20, 'outputs', 'quiet strong', narrow ? 'start' : 'middle');
  if (!crowded) write(svg, middle, 20, leaf, 'quiet strong', 'middle');
  write(svg, (last + width) / 2, 20, 'what you get', 'quiet strong', 'middle');
  outputs.forEach((name, i) => {
    ribbon(first + 18, place(i), middle - reach, lane(i), sizes[i]);
    ribbon(middle + reach, lane(i), last + 1, place(i), merged ? total : sizes[i]);
  });
  outputs.forEach((name, i) => {
    draw(svg, 'circle', {cx: first, cy: place(i), r: 18, class: 'node'});
    write(svg, first, place(i) + 4.5, name, 'strong', 'middle');
    const shift = !merged ? -20 : i < outputs.length / 2 ? -11 : 24;
    const row = `${i ? '' : `∂${name}/∂x = `}[${rows[i].join(', ')}]`;
    if (!crowded) write(svg, first + 25, place(i) + shift, row, 'value halo');
  });
  if (merged) leafOfAll();
  else outputs.forEach((name, i) => leafOf(place(i)));
  matrix.forEach((row, i) => row.forEach((text, j) => entry(last + j * cell, place(i), text)));

  // A curved band from one place to another.
  function ribbon(x1, y1, x2, y2, size) {
    const bend = (x1 + x2) / 2;
    const path = `M${x1},${y1}C${bend},${y1} ${bend},${y2} ${x2},${y2}`;
    draw(svg, 'path', {d: path, class: `ribbon stroke-${kind}`, 'stroke-width': 2 + 10 * size});
  }

  // The one x in which all ribbons meet, with the sum that it holds, and how it came about where there is room.
  function leafOfAll() {
    const tall = Math.max(34 + 18 * inputs, 13 * outputs.length + 26);
    const edge = centre - tall / 2;
    draw(svg, 'rect', {x: middle - reach, y: edge, width: 2 * reach, height: tall, rx: 10, class: 'node'});
    write(svg, middle, edge + 21, 'x', 'strong', 'middle');
    const lines = added ? sums : matrix[0];
    lines.forEach((text, j) => write(svg, middle, edge + 42 + 18 * j, text, 'value strong', 'middle'));
  }

  function leafOf(y) {
    draw(svg, 'rect', {x: middle - reach, y: y - 15, width: 2 * reach, height: 30, rx: 8, class: 'node'});
    write(svg, middle, y + 4.5, 'x', 'strong', 'middle');
  }

  function entry(x, y, text) {
    draw(svg, 'rect', {x, y: y - 17, width: cell - 3, height: 34, rx: 4, class: `entry ${kind}`});
    write(svg, x + (cell - 3) / 2, y + 4.5, text, crowded ? 'value' : 'value strong', 'middle');
  }
}
