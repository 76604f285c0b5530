// The outcome of a call, with the reason where there is one: an icon and a word.
import { Icon, type IconName } from '../../components/icon.tsx'

const shown: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  ok: ['good', 'good'],
  refused: ['bad', 'warn'],
  error: ['warning', 'bad'],
  timeout: ['pending', 'bad'],
  cancelled: ['ended', ''],
  unknown: ['ended', 'warn'],
}

export const OutcomeTag = ({ outcome, code }: { readonly outcome: string; readonly code: string | undefined }) => {
  const [icon, tone] = shown[outcome] ?? (['ended', ''] as const)
  return (
    <>
      <span class={`tag ${tone}`}>
        <Icon name={icon} /> {outcome}
      </span>
      {code !== undefined && <span class="soft"> {code}</span>}
    </>
  )
}
