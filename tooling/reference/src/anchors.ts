// The anchor of a heading, as the hosts of repositories make it.

export const anchorOf = (title: string): string =>
  title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
