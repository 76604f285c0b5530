// The logger interface that packages depend on.

export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
  /** A logger that adds these fields to each line. */
  child(fields: object): Logger
}

const ignore = (): void => undefined

/** Discards everything. For code that runs outside of a service process. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLogger }
