// The two results of one component, a line each: the value, then its bits. What differs is in the side's colour.
// `results` has a `label` in words, `fields` (name and number of bits), a `width` in bits, and two `sides`: `kind`,
// `name`, the digits that both values `share` and the `rest`, and `bits`. `differ` has the places of bits that differ.
function drawBits(host, {label, fields, width, sides, differ}) {
  const narrow = host.clientWidth < 640;
  const longest = Math.max(...sides.map(side => side.share.length + side.rest.length));
  const beside = narrow ? 0 : 150 + longest * 10.4;
  const room = host.clientWidth - beside - 10 * (fields.length - 1);
  const pitch = Math.min(27, Math.max(narrow ? 10.5 : 9, room / width));
  const hidden = width * pitch <= room + 1 ? 0 : width - Math.floor((room - 22) / pitch);

  host.replaceChildren();
  const table = append(host, 'div', narrow ? 'results narrow' : 'results');
  set(table, {role: 'img', 'aria-label': label}).style.setProperty('--pitch', `${pitch}px`);
  for (const {kind, name, share, rest, bits} of sides) {
    const title = append(table, 'span', `name text-${kind}`);
    symbol(draw(title, 'svg', {width: 14, height: 14}), 7, 7, kind, 5.5);
    append(title, 'span', '', name);
    const value = append(table, 'span', 'number');
    append(value, 'span', '', share);
    append(value, 'b', `text-${kind}`, rest);
    drawFields('bits', (group, field, start, end) => {
      for (let place = start; place < end; place++) {
        append(group, 'i', differ.includes(place) ? `differs ${kind}` : '', bits[place]);
      }
    });
  }
  drawFields('bits names quiet', (group, field, start, end) => { // the whole name where it fits
    const wide = (end - start) * pitch;
    group.textContent = wide > field.name.length * 6.5 ? field.name : field.symbol;
    group.style.width = `${wide}px`;
  });

  function drawFields(look, fill) {
    const row = append(table, 'span', look);
    if (hidden) append(row, 'span', 'cut', look === 'bits' ? '…' : '');
    let start = 0;
    for (const field of fields) {
      const end = start + field.bits;
      if (end > hidden) fill(append(row, 'span', 'field'), field, Math.max(start, hidden), end);
      start = end;
    }
  }
}
