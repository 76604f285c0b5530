// A time as people say it, with the exact one behind it.

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

const ago = (seconds: number): string => {
  for (const [unit, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)}${unit} ago`
  return 'now'
}

export const When = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {ago((Date.now() - Date.parse(at)) / 1_000)}
  </time>
)
