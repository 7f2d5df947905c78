// Mean errors over x: a stepped curve for autograd and for a formula, bin by bin. A bin is a button that picks its worst x.
// `curve` is the data of lib/derivative/curve, `x` the place of the x that the float line shows, or null. Returns the
// drawing and its measures.
function errorCurve(host, curve, {label, x, pick}) {
  const height = 204;
  const [svg, width] = sheet(host, height, label, 'group');
  const [left, right, top, base] = [40, width - 12, 40, height - 40]; // above it, knobs and the name of this x
  const bins = curve.exist.length;
  const across = place => left + place * (right - left);
  const up = place => base - place * (base - top);
  const wide = (right - left) / bins;

  gridLines(svg, left, right, curve.levels.map(level => [up(level.at), level.text]), left - 10);
  numbers(svg, curve.ticks, across, base, width);
  write(svg, (left + right) / 2, height - 3, curve.axis, 'quiet', 'middle');
  for (const [look, drawn] of [['ghost', curve.ghost], ['curve', curve.series]]) {
    for (const {height, kind} of drawn) {
      draw(svg, 'path', {d: stepPath(height, i => across(i / bins), up), class: `${look} stroke-${kind}`});
    }
  }
  if (x !== null) {
    rule(svg, across(x), 15, across(x), base, 'here');
    const text = x <= 0 ? '← the x above' : x >= 1 ? 'the x above →' : 'the x above'; // or beyond the axis
    write(svg, Math.max(left + 46, Math.min(right - 46, across(x))), 11, text, 'strong', 'middle');
  }
  const columns = curve.exist.map((count, i) => {
    return pickable(svg, across(i / bins), top - 6, wide, base - top + 6, binSentence(curve, i));
  });
  rove('bin', columns, Math.max(0, Math.min(bins - 1, Math.floor((x ?? 0.5) * bins))), pick);
  const place = clientX => (clientX - svg.getBoundingClientRect().left - left) / (right - left);
  return {svg, across, top, base, left, right, bins, place};
}
