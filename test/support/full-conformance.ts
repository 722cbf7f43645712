/** By `npm run conformance`: every client shows what some of them show in `npm test`. */
export const isFull = process.env['CONFORMANCE'] === 'full';
