export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns a fault that begins and ends after the given number of milliseconds. */
export const temporarily =
  (begin: () => void | Promise<void>, end: () => void) =>
  async (ms: number): Promise<void> => {
    await begin();
    await pause(ms);
    end();
  };
