// What a plot shows.

export interface Line {
  readonly name: string
  /** Name of a custom property. */
  readonly colour: string
  readonly values: readonly (number | null)[]
}

export interface PlotProps {
  readonly title: string
  readonly says: string
  readonly lines: readonly Line[]
  /** Seconds since 1970. */
  readonly at: readonly number[]
}
