// Charts of usage and of a token's market, by uPlot.
const style = getComputedStyle(document.documentElement);
const color = (name) => style.getPropertyValue(name).trim();
const AXIS = { stroke: color('--faint'), grid: { stroke: color('--line') } };
const HEIGHT_PX = 260;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const shorten = (_, values) => values.map((value) => compact.format(value));
const smallNumber = (_, values) => values.map((value) => (value ? value.toExponential(1) : '0'));

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
  market: ({ times, prices, reserves }) => ({
    data: [times, prices, reserves],
    series: [
      {},
      { label: 'price', stroke: color('--accent'), width: 2, scale: 'y' },
      { label: 'liquidity', stroke: color('--good'), width: 2, scale: 'l' },
    ],
    axes: [
      AXIS,
      { ...AXIS, values: smallNumber, size: 80 },
      { ...AXIS, scale: 'l', side: 1, values: shorten, size: 60 },
    ],
  }),
};

const draw = async (place) => {
  const note = place.querySelector('.loading');
  try {
    const response = await fetch(place.dataset.source);
    if (!response.ok) throw new Error(String(response.status));
    const source = await response.json();
    if (source.times.length === 0) {
      note.className = 'empty';
      note.textContent = 'No trade has been seen yet.';
      return;
    }
    const { data, ...options } = CHARTS[place.dataset.chart](source);
    note.remove();
    const width = () => place.clientWidth;
    const chart = new uPlot({ width: width(), height: HEIGHT_PX, ...options }, data, place);
    new ResizeObserver(() => chart.setSize({ width: width(), height: HEIGHT_PX })).observe(place);
  } catch {
    note.textContent = 'The chart could not be loaded. Reload the page to try again.';
  }
};

for (const place of document.querySelectorAll('[data-chart]')) void draw(place);
