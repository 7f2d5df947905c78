// The figures of a range of x. They are wanted at once while its ends are dragged, without asking Python, and so they
// are the one thing that a picture adds up: whole numbers, bin by bin, and the largest error among those of the bins.
function figuresOf(curve, [low, high]) {
  const sum = counts => counts.slice(low, high).reduce((total, count) => total + count, 0);
  return {
    exist: sum(curve.exist),
    equal: sum(curve.equal),
    series: curve.series.map(series => {
      const sizes = series.size.slice(low, high).map(size => size ?? -1);
      const worst = sizes.indexOf(Math.max(...sizes));
      const most = series.worst[low + worst] || '–';
      return {...series, correct: sum(series.correct), worst: most + notFinite(sum(series.lost))};
    }),
  };
}

// At how many x a value is infinite or NaN by mistake, so that it has no error in floats.
function notFinite(count) {
  return count ? ` (not finite at ${count.toLocaleString('en-US')})` : '';
}

// A share as lib/floats/quantities writes it: 0% or 100% only if that is exact.
function percent(part, whole) {
  if (!whole) return '–';
  const share = part / whole;
  if (part !== 0 && part !== whole && (share < 0.005 || share >= 0.995)) {
    return share < 0.5 ? 'less than 1%' : 'more than 99%';
  }
  const percents = share * 100;
  const even = 2 * Math.round(percents / 2);
  return `${percents % 1 === 0.5 ? even : Math.round(percents)}%`;
}

function rangeText(curve, [low, high]) {
  const {name, edges} = curve;
  const all = low === 0 && high === curve.exist.length;
  if (all) return 'All x';
  if (low === 0) return `${name} up to ${edges[high]}`;
  return high === curve.exist.length ? `${name} from ${edges[low]} on` : `${name} from ${edges[low]} to ${edges[high]}`;
}

function rangeSentence(curve, range) {
  const found = figuresOf(curve, range);
  const parts = found.series.map(
    series => `${series.name} correctly rounded at ${percent(series.correct, found.exist)}, worst seen ${series.worst}`,
  );
  return `${rangeText(curve, range)}: ${parts.join('; ')}; equal at ${percent(found.equal, found.exist)}.`;
}

// Write the answer, which is how often each of the two is right, and the other figures.
function writeFigures(part, curve, range) {
  const found = figuresOf(curve, range);
  const shapes = {first: '●', second: '■'};
  const text = rangeText(curve, range);
  const name = series => `${shapes[series.kind]} ${series.name}`;
  const share = series => `${name(series)} ${percent(series.correct, found.exist)}`;
  const worst = series => `${shapes[series.kind]} ${series.worst}`;
  spans(part('.answer'), [[`Ends on the nearest float (${text[0].toLowerCase() + text.slice(1)}):`]], found, share);
  const rest = `${found.exist.toLocaleString('en-US')} x, equal for ${percent(found.equal, found.exist)}; worst seen`;
  spans(part('.rest'), [[rest]], found, worst);
}

// Fill a host with texts, and then with one for each series in its colour.
function spans(host, texts, found, write) {
  host.replaceChildren();
  for (const series of found.series) texts.push([write(series), `text-${series.kind}`]);
  for (const [text, look] of texts) append(host, 'span', look, text);
}

// What is in one bin, in words.
function binSentence(curve, bin) {
  const parts = curve.series.map(series => {
    const lost = notFinite(series.lost[bin]);
    if (!series.mean[bin]) return lost && series.name + lost;
    return `${series.name} ${series.mean[bin]} on average, worst seen ${series.worst[bin]}${lost}`;
  });
  const found = parts.filter(Boolean);
  return `${rangeText(curve, [bin, bin + 1])}: ${found.length ? found.join('; ') : 'no x yet'}.`;
}
