// Mean errors over x: a stepped curve for autograd and for a formula, bin by bin.
// `curve` is the data of lib/derivative/curve, `x` the place of the x that the float line shows, or null. Returns the
// drawing and its measures.
function errorCurve(host, curve, {label, x}) {
  const height = host.clientWidth < 560 ? 214 : 194;
  const [svg, width] = sheet(host, height, label, 'group');
  const [left, right, top, base] = [40, width - 12, 32, height - 38]; // above it, knobs and the name of this x
  const bins = curve.exist.length;
  const across = place => left + place * (right - left);
  const up = place => base - place * (base - top);

  for (const level of curve.levels) {
    rule(svg, left, up(level.at), right, up(level.at), level.at ? 'grid' : 'axis');
    write(svg, left - 10, up(level.at) + 4, level.text, 'quiet', 'end');
  }
  writeTicks();
  write(svg, (left + right) / 2, height - 3, curve.axis, 'quiet', 'middle');
  shadeBetween();
  for (const [look, drawn] of [['curve ghost', curve.ghost], ['curve', curve.series]]) {
    for (const {height, kind} of drawn) draw(svg, 'path', {d: steps(height), class: `${look} stroke-${kind}`});
  }
  if (x !== null) {
    rule(svg, across(x), 15, across(x), base, 'here');
    const text = x <= 0 ? '← the x above' : x >= 1 ? 'the x above →' : 'the x above'; // or beyond the axis
    write(svg, Math.max(left + 46, Math.min(right - 46, across(x))), 11, text, 'strong', 'middle');
  }
  const place = clientX => (clientX - svg.getBoundingClientRect().left - left) / (right - left);
  return {svg, across, top, base, left, right, bins, place};

  // Labels that would touch the one before are left out.
  function writeTicks() {
    let free = -Infinity;
    for (const tick of curve.ticks) {
      const at = across(tick.at);
      rule(svg, at, base, at, base + 5, 'axis');
      if (at < free) continue;
      const text = write(svg, at, base + 18, tick.text, 'quiet', 'middle');
      free = at + text.getComputedTextLength() + 8;
    }
  }

  // Bin by bin, what lies between the two curves, in the colour of the upper one: that of the larger error.
  function shadeBetween() {
    const [one, other] = curve.series;
    one?.height.forEach((height, i) => {
      const beside = other.height[i];
      if (height === null || beside === null || height === beside) return;
      const upper = height > beside ? one : other;
      const box = {x: across(i / bins), width: (right - left) / bins, y: up(Math.max(height, beside))};
      draw(svg, 'rect', {...box, height: up(Math.min(height, beside)) - box.y, class: `between fill-${upper.kind}`});
    });
  }

  // A step for each bin that has an x, and a straight line over those that have none yet.
  function steps(heights) {
    let path = '';
    heights.forEach((height, i) => {
      if (height === null) return;
      path += `${path ? 'L' : 'M'}${across(i / heights.length)},${up(height)}H${across((i + 1) / heights.length)}`;
    });
    return path;
  }
}
