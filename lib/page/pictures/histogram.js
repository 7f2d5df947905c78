// How many floats apart the two results are: a bar for each distance, grey in the middle where they are equal.
// `histogram` has a `label` in words, the `axis`' name, grid `lines` (share, text), the share at its `top`, and for each
// bar its `keys`, `labels` (below it, or empty), `told` in words, and `shares`; `equal` stands above the middle. `picked`
// is a key or null. `ghost`, null or {name, shares}, is the histogram of the experiment before this one, an outline.
function drawHistogram(host, histogram, pick) {
  const height = 232;
  const {keys, labels, told, shares, top, picked, ghost} = histogram;
  const [base, ceiling] = [height - 36, 24];
  const [svg, width] = sheet(host, height, histogram.label, 'group');
  const right = width - 36;
  const wide = right / keys.length;
  const level = share => base - ((base - ceiling) * share) / top;
  gridLines(svg, 0, right, histogram.lines.map(({share, text}) => [level(share), text]), width);
  const bars = keys.map((key, i) => {
    const state = {'aria-pressed': key === picked, 'aria-disabled': !shares[i]};
    const bar = pickable(svg, i * wide, 4, wide, height - 22, told[i], state);
    const tall = shares[i] ? Math.max(2, base - level(shares[i])) : 0;
    box(bar, i * wide + 1, base - tall, wide - 2, tall, key ? 'fill-differ' : 'fill-equal');
    if (key === picked) draw(bar, 'path', {d: `M${(i + 0.5) * wide - 5},${base - tall - 10}h10l-5,7z`, class: 'sign'});
    if (labels[i]) writeInside(bar, (i + 0.5) * wide, base + 16, labels[i], 'quiet', width);
    return bar;
  });
  rove('bar', bars, keys.indexOf(picked ?? 0), i => shares[i] && pick(keys[i]));
  rule(svg, 0, base, right, base, 'axis');
  write(svg, right / 2, height - 3, histogram.axis, 'quiet', 'middle');
  if (!ghost) return;
  draw(svg, 'path', {d: `${stepPath(ghost.shares, i => i * wide, level)}M1,10h18`, class: 'ghost'});
  write(svg, 25, 14, ghost.name, 'quiet halo');
}
