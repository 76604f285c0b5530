// Settings: the stop, tokens of people, how the console looks, and what this unit is.
import { PageHead } from '../../parts/page-head.tsx'
import { About } from './about.tsx'
import { FreezeSection } from './freeze-section.tsx'
import { LookSection } from './look-section.tsx'
import { TokenSection } from './token-section.tsx'
import './settings.css'

export const Settings = () => (
  <>
    <PageHead title="Settings" />
    <FreezeSection />
    <TokenSection />
    <LookSection />
    <About />
  </>
)
