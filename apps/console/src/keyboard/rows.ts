// Up and down through the rows of a page (`data-row`), by what can be pressed in each.

const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]'

const targetOf = (row: Element): HTMLElement | null =>
  row instanceof HTMLElement && row.matches(focusable) ? row : row.querySelector<HTMLElement>(focusable)

export const moveRow = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll('main [data-row]')]
  const here = document.activeElement?.closest('[data-row]') ?? null
  const place = here === null ? (step === 1 ? 0 : rows.length - 1) : rows.indexOf(here) + step
  const row = rows[Math.min(Math.max(place, 0), rows.length - 1)]
  if (row === undefined) return
  targetOf(row)?.focus()
  row.scrollIntoView({ block: 'nearest' })
}

/** The first filter of the page. */
export const focusFilter = (): void => document.querySelector<HTMLElement>('main [data-filter], main [type="search"]')?.focus()
