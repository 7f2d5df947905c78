// The figures of a range of x. They are wanted at once while its ends are dragged, without asking Python, and so they
// are the one thing that a picture adds up: whole numbers, bin by bin.
function figuresOf({exist, series}, [low, high]) {
  const sum = counts => counts.slice(low, high).reduce((total, count) => total + count, 0);
  return series.map(({name, kind, correct}) => ({name, kind, correct: percent(sum(correct), sum(exist))}));
}

// At how many x a value is infinite or NaN by mistake, so that it has no error in floats.
function notFinite(count) {
  return count ? ` (not finite at ${count.toLocaleString('en-US')})` : '';
}

// A share as lib/floats/quantities writes it: 0% or 100% only if that is exact.
function percent(part, whole) {
  if (!whole) return '–';
  const percents = (part / whole) * 100;
  if (part !== 0 && part !== whole && percents < 0.5) return 'less than 1%';
  if (part !== 0 && part !== whole && percents >= 99.5) return 'more than 99%';
  return `${percents % 1 === 0.5 ? 2 * Math.round(percents / 2) : Math.round(percents)}%`;
}

function rangeText({name, edges, exist}, [low, high]) {
  if (high === exist.length) return low ? `${name} from ${edges[low]} on` : 'all x';
  return low ? `${name} from ${edges[low]} to ${edges[high]}` : `${name} up to ${edges[high]}`;
}

function rangeSentence(curve, range) {
  const parts = figuresOf(curve, range).map(({name, correct}) => `${name} ${correct}`);
  return `The nearest float, for ${rangeText(curve, range)}: ${parts.join(', ')}.`;
}

// Write which curve is which, and of a part of all x, how often each of the two is right: the cards say it of all.
function writeFigures(part, curve, range) {
  const whole = range[1] - range[0] === curve.exist.length;
  part('.answer').replaceChildren();
  if (!whole) append(part('.answer'), 'span', '', `The nearest float, for ${rangeText(curve, range)}:`);
  for (const {kind, name, correct} of figuresOf(curve, range)) {
    append(part('.answer'), 'b', `text-${kind}`, `${SIGN[kind]} ${name} ${whole ? '' : correct}`);
  }
}

// What is in one bin, in words.
function binSentence(curve, bin) {
  const found = curve.series.map(({name, mean, worst, lost}) => {
    const not = notFinite(lost[bin]);
    if (!mean[bin]) return not && name + not;
    return `${name} ${mean[bin]} on average, worst seen ${worst[bin]}${not}`;
  }).filter(Boolean);
  return `${rangeText(curve, [bin, bin + 1])}: ${found.join('; ') || 'no x yet'}.`;
}
