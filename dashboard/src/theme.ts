/** Colours, type and defaults of the dashboard's components. */
import { createTheme, type MantineColorsTuple } from '@mantine/core'
import type { EventType } from './api/answers.ts'

const pine: MantineColorsTuple = [
  '#edf7f3',
  '#d9ebe4',
  '#b2d7c9',
  '#86c1ab',
  '#5fae92',
  '#3f9a7c',
  '#2a8166',
  '#1b6f57',
  '#14614f',
  '#0c4a3c',
]

const onCard = { background: 'var(--card)' }

export const theme = createTheme({
  colors: { pine },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 6 },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  components: {
    Modal: {
      styles: { content: onCard, header: onCard },
      defaultProps: { centered: true, radius: 'lg', padding: 'lg', transitionProps: { duration: 120 } },
    },
    Drawer: {
      styles: { content: onCard, header: onCard },
      defaultProps: { padding: 'lg', transitionProps: { duration: 150 } },
    },
    Tooltip: { defaultProps: { multiline: true, maw: 280, openDelay: 200 } },
    Menu: { defaultProps: { transitionProps: { duration: 80 }, shadow: 'md' } },
  },
})

/** Custom properties of styles.css, so that charts follow the colour scheme. */
export const metricColour: Record<EventType, string> = {
  bot: 'var(--bot)',
  referral: 'var(--referral)',
  conversion: 'var(--conversion)',
}

export const stackColours = [1, 2, 3, 4, 5, 6, 7].map(n => `var(--stack-${n})`)
export const restColour = 'var(--stack-rest)'
