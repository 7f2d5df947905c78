// The share of components that change, by batch size: a step for each size and quantity, the first curve solid, the
// second dashed. `stairs` is the data of lib/batch/opening. A size is a button.
function drawStairs(host, {sizes, lines, curves, ghost, top, label, picked}, pick) {
  const height = 176;
  const [base, ceiling, left] = [height - 38, 12, 34];
  const [svg, width] = sheet(host, height, label, 'group');
  const right = width - 96;
  const wide = (right - left) / sizes.length;
  const level = share => base - ((base - ceiling) * share) / top;
  const across = i => left + i * wide;
  gridLines(svg, left, right, lines.map(({share, text}) => [level(share), text]), left - 6);
  const buttons = sizes.map(({size, told}, i) => {
    const button = pickable(svg, across(i), 2, wide, height - 18, told, {'aria-pressed': size === picked});
    write(button, across(i + 0.5), base + 17, size, wide < 24 ? 'value tight' : 'value', 'middle');
    return button;
  });
  rove('size', buttons, sizes.findIndex(({size}) => size === picked), i => pick(sizes[i].size));
  rule(svg, left, base, right, base, 'axis');
  for (const shares of ghost?.shares ?? []) draw(svg, 'path', {d: stepPath(shares, across, level), class: 'ghost'});
  if (ghost) write(svg, left + 4, ceiling + 2, ghost.name, 'quiet halo passive');
  const ends = curves.filter(({shares}) => shares.length).map(({name, shares}, i) => {
    const look = `curve passive stroke-differ ${i ? 'dashed' : ''}`;
    draw(svg, 'path', {d: stepPath(shares, across, level), class: look});
    return {y: level(shares.at(-1)) + 4, name, look};
  });
  for (const {free, name, look} of spread(ends, 17, ceiling + 8, base)) {
    rule(svg, right + 6, free - 4, right + 24, free - 4, look);
    write(svg, right + 29, free, name, 'strong text-differ');
  }
  write(svg, (left + right) / 2, height - 3, 'batch size', 'quiet', 'middle');
}
