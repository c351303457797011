// Some tests do one thing many times, each time with other inputs. `npm test` has enough of them to notice a mistake;
// `npm run test:long` runs every file that imports this once more, with the larger number.

export const isLongRun = process.env.TEST_LENGTH === 'long'

export const repetitions = (usual: number, long: number): number => (isLongRun ? long : usual)
