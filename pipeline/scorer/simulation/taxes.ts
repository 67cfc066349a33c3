/** Parts in which taxes are counted: a millionth is far below any tax worth a mention. */
const PARTS = 1_000_000n;

const lostShare = (arrived: bigint, sent: bigint): number => {
  if (sent <= 0n || arrived >= sent) return 0;
  return Number(PARTS - (arrived * PARTS) / sent) / Number(PARTS);
};

/** Share of a purchase that the token kept: what the pool paid out against what arrived. */
export const buyTaxOf = (purchase: { bought: bigint; arrived: bigint }): number =>
  lostShare(purchase.arrived, purchase.bought);

/**
 * Share of a sale that did not arrive: tokens lost on their way into the pool, and base lost on its
 * way out (which an honest pool never loses).
 */
export const sellTaxOf = (sale: {
  amount: bigint;
  received: bigint;
  earned: bigint;
  arrived: bigint;
}): number => {
  const received = sale.received < sale.amount ? sale.received : sale.amount;
  const arrived = sale.arrived < sale.earned ? sale.arrived : sale.earned;
  return lostShare(received * arrived, sale.amount * sale.earned);
};

/** Share of a transfer from one wallet to another that did not arrive. */
export const transferTaxOf = ({ amount, arrived }: { amount: bigint; arrived: bigint }): number =>
  lostShare(arrived, amount);
