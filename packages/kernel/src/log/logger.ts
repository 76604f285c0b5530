// What a part of the house knows of the log.

export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
  /** Adds these fields to each of its lines. */
  child(fields: object): Logger
}

const ignore = (): void => undefined

/** For code that runs without a process around it. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLogger }
