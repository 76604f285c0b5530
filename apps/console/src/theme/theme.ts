// How the console looks on this machine: theme and contrast, as the system has them or as the reader chose.
export const themes = ['system', 'light', 'dark'] as const
export const contrasts = ['system', 'more'] as const
export type Theme = (typeof themes)[number]
export type Contrast = (typeof contrasts)[number]

export interface Appearance {
  readonly theme: Theme
  readonly contrast: Contrast
}

const pick = <T extends string>(choices: readonly T[], value: string | null, fallback: T): T =>
  choices.find((choice) => choice === value) ?? fallback

export const readTheme = (): Appearance => ({
  theme: pick(themes, localStorage.getItem('gatehouse-theme'), 'system'),
  contrast: pick(contrasts, localStorage.getItem('gatehouse-contrast'), 'system'),
})

export const applyTheme = ({ theme, contrast }: Appearance): void => {
  document.documentElement.dataset['theme'] = theme
  document.documentElement.dataset['contrast'] = contrast
}

export const saveTheme = (look: Appearance): void => {
  localStorage.setItem('gatehouse-theme', look.theme)
  localStorage.setItem('gatehouse-contrast', look.contrast)
  applyTheme(look)
}
