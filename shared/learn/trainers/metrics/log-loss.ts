/** A certain prediction that is wrong would cost infinitely much. */
const CERTAIN = 1e-12

export const logLoss = (p: number, y: number): number => -Math.log(Math.min(1, Math.max(CERTAIN, y === 1 ? p : 1 - p)))
