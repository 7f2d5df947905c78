// The two results of one component, a line each: the value, then its bits. What differs is in the side's colour.
// `results` has a `label` in words, `fields` (name and number of bits), a `width` in bits, and two `sides`: `kind`,
// `name`, the digits that both values `share` and the `rest`, and `bits`. `differ` has the places of bits that differ.
function drawBits(host, results) {
  const narrow = host.clientWidth < 640;
  const longest = Math.max(...results.sides.map(side => side.share.length + side.rest.length));
  const beside = narrow ? 0 : 150 + longest * 10.4;
  const room = host.clientWidth - beside - 10 * (results.fields.length - 1);
  const pitch = Math.min(27, Math.max(narrow ? 10.5 : 9, room / results.width));
  const fits = results.width * pitch <= room + 1;
  const hidden = fits ? 0 : results.width - Math.floor((room - 22) / pitch);
  const differ = new Set(results.differ);

  host.replaceChildren();
  const table = append(host, 'div', narrow ? 'results narrow' : 'results');
  table.setAttribute('role', 'img');
  table.setAttribute('aria-label', results.label);
  table.style.setProperty('--pitch', `${pitch}px`);
  for (const side of results.sides) drawSide(side);
  drawFields();

  function drawSide(side) {
    const name = append(table, 'span', `name text-${side.kind}`);
    const mark = draw(name, 'svg', {width: 14, height: 14});
    symbol(mark, 7, 7, side.kind, 5.5);
    append(name, 'span', '', side.name);
    const value = append(table, 'span', 'number');
    append(value, 'span', '', side.share);
    append(value, 'b', `text-${side.kind}`, side.rest);
    const bits = append(table, 'span', 'bits');
    if (hidden) append(bits, 'span', 'cut', '…');
    eachField((field, start, end) => {
      const group = append(bits, 'span', 'field');
      for (let place = Math.max(start, hidden); place < end; place++) {
        append(group, 'i', differ.has(place) ? `differs ${side.kind}` : '', side.bits[place]);
      }
    });
  }

  // The names of the fields under their bits, where the whole name fits.
  function drawFields() {
    const names = append(table, 'span', 'bits names quiet');
    if (hidden) append(names, 'span', 'cut');
    eachField((field, start, end) => {
      const wide = (end - Math.max(start, hidden)) * pitch;
      const name = append(names, 'span', 'field', wide > field.name.length * 6.5 ? field.name : field.symbol);
      name.style.width = `${wide}px`;
    });
  }

  function eachField(visit) {
    let start = 0;
    for (const field of results.fields) {
      if (start + field.bits > hidden) visit(field, start, start + field.bits);
      start += field.bits;
    }
  }
}
