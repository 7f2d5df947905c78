// Mean errors over x: a stepped curve for autograd and for a formula, bin by bin. A bin is a button that picks its worst x.
// `curve` is the data of lib/derivative/curve, `x` the place of the x that the float line shows, or null. Returns the
// drawing and its measures.
function errorCurve(host, curve, {label, x, pick}) {
  const height = 204;
  const [svg, width] = sheet(host, height, label, 'group');
  const [left, right, top, base] = [40, width - 12, 32, height - 40]; // above it, knobs and the name of this x
  const bins = curve.exist.length;
  const across = place => left + place * (right - left);
  const up = place => base - place * (base - top);
  const wide = (right - left) / bins;

  gridLines(svg, left, right, curve.levels.map(level => [up(level.at), level.text]), left - 10);
  writeTicks();
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
    const said = binSentence(curve, i);
    const column = box(svg, across(i / bins), top - 6, wide, base - top + 6, 'column', {role: 'button', 'aria-label': said});
    draw(column, 'title', {}, said);
    return column;
  });
  rove('bin', columns, Math.max(0, Math.min(bins - 1, Math.floor((x ?? 0.5) * bins))), pick);
  const place = clientX => (clientX - svg.getBoundingClientRect().left - left) / (right - left);
  return {svg, across, top, base, left, right, bins, place};

  // Labels that would touch the one before are left out.
  function writeTicks() {
    let free = -Infinity;
    for (const {at, text} of curve.ticks) {
      rule(svg, across(at), base, across(at), base + 5, 'axis');
      if (across(at) < free) continue;
      free = across(at) + 8 + write(svg, across(at), base + 18, text, 'quiet', 'middle').getComputedTextLength();
    }
  }
}
