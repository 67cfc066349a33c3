// Charts of usage and of a token's market, by uPlot.
const style = getComputedStyle(document.documentElement);
const color = (name) => style.getPropertyValue(name).trim();
const AXIS = { stroke: color('--faint'), grid: { stroke: color('--line'), width: 1 } };
const HEIGHT_PX = 280;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const shorten = (_, values) => values.map((value) => compact.format(value));

/** Few digits, however small the number is. */
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const written = (value, unit) => {
  if (value === null || value === undefined) return '–';
  const number = Math.abs(value) >= 1000 ? compact.format(value) : precise.format(value);
  return unit === 'USD' ? `$${number}` : `${number} ${unit.slice(0, 12)}`;
};

/** Room for the longest label of an axis. */
const roomFor = (_, values) => 22 + 7.2 * Math.max(0, ...(values ?? []).map((text) => text.length));

/** Lines where liquidity came or went, and where the verdict became another one. */
const marksOf = ({ moves, turns }, words) => [
  ...moves.map(({ atS, isRemoval }) => ({
    atS,
    stroke: color(isRemoval ? '--bad' : '--good'),
    text: isRemoval ? words.out : words.in,
  })),
  ...turns.map(({ atS, to }) => ({
    atS,
    stroke: color('--accent'),
    text: words.turn.replace('{to}', to),
  })),
];
const MARK_GAP_PX = 14;
const drawMarks = (marks) => (chart) => {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  const seen = new Map();
  for (const { atS, stroke, text } of marks) {
    const x = Math.round(chart.valToPos(atS, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = stroke;
    ctx.fillStyle = stroke;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (seen.has(text)) continue;
    const row = seen.size;
    seen.set(text, row);
    const isRight = x > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? 'right' : 'left';
    const gap = 5 * devicePixelRatio * (isRight ? -1 : 1);
    ctx.fillText(text, x + gap, bbox.top + (row + 1) * MARK_GAP_PX * devicePixelRatio);
  }
  ctx.restore();
};

const CHARTS = {
  usage: ({ times, requests, errors, averageMs }) => ({
    data: [times, requests, errors, averageMs],
    series: [
      {},
      { label: 'requests', stroke: color('--accent'), width: 2, scale: 'y' },
      { label: 'errors', stroke: color('--bad'), width: 2, scale: 'y' },
      { label: 'average ms', stroke: color('--faint'), dash: [4, 4], scale: 'ms' },
    ],
    axes: [AXIS, { ...AXIS, values: shorten }, { ...AXIS, scale: 'ms', side: 1, values: shorten }],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
  }),
  market: (market, words) => {
    const { times, prices, liquidity, unit } = market;
    const value = (_, raw) => written(raw, unit);
    const values = (_, raws) => raws.map((raw) => written(raw, unit));
    const fromZero = (_, __, max) => [0, max > 0 ? max * 1.08 : 1];
    return {
      data: [times, prices, liquidity],
      series: [
        {},
        { label: words.price, stroke: color('--accent'), width: 2, scale: 'y', value },
        { label: words.liquidity, stroke: color('--good'), width: 2, scale: 'l', value },
      ],
      axes: [
        AXIS,
        { ...AXIS, values, size: roomFor },
        { ...AXIS, scale: 'l', side: 1, values, size: roomFor, grid: { show: false } },
      ],
      scales: { y: { range: fromZero }, l: { range: fromZero } },
      hooks: { draw: [drawMarks(marksOf(market, words))] },
    };
  },
};

/** Numbers of the page that come with a chart. */
const fillIn = ({ volumeOfDay, unit }) => {
  const place = document.querySelector('[data-volume]');
  if (place && volumeOfDay !== undefined) place.textContent = written(volumeOfDay, unit);
};

const draw = async (place) => {
  const note = place.querySelector('.loading');
  const words = JSON.parse(place.dataset.words);
  try {
    const response = await fetch(place.dataset.source);
    if (!response.ok) throw new Error(String(response.status));
    const source = await response.json();
    fillIn(source);
    if (source.times.length === 0) {
      note.className = 'empty';
      note.textContent = words.none;
      return;
    }
    const { data, ...options } = CHARTS[place.dataset.chart](source, words);
    note.remove();
    const width = () => place.clientWidth;
    const chart = new uPlot({ width: width(), height: HEIGHT_PX, ...options }, data, place);
    new ResizeObserver(() => chart.setSize({ width: width(), height: HEIGHT_PX })).observe(place);
  } catch {
    note.textContent = words.failed;
  }
};

for (const place of document.querySelectorAll('[data-chart]')) void draw(place);
