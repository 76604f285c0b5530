// How a route's pattern is written in the document and in labels: `{name}` for `:name`.

export const documentedPath = (pattern: string): string => pattern.replaceAll(/:(\w+)(?:\{[^/]*\})?/g, '{$1}')
