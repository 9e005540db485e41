/** The few icons, drawn here: 24 by 24, in the colour of the text, never the only name of anything. */
import type { ReactNode } from 'react'

interface IconProps {
  readonly size?: number
}

const icon = (shape: ReactNode) =>
  function Icon({ size = 18 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
    )
  }

export const InfoIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5M12 8h.01" />
  </>,
)
export const DownloadIcon = icon(<path d="M12 4v11m0 0 4-4m-4 4-4-4M5 20h14" />)
export const UploadIcon = icon(<path d="M12 15V4m0 0 4 4m-4-4-4 4M5 20h14" />)
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />)
export const ChevronIcon = icon(<path d="m7 10 5 5 5-5" />)
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M15 9V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h3" />
  </>,
)
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />)
export const CalendarIcon = icon(
  <>
    <rect x="4" y="5.5" width="16" height="14.5" rx="2" />
    <path d="M4 10h16M8.5 3.5v4M15.5 3.5v4" />
  </>,
)
export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />)
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
  </>,
)
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />)
export const QuestionIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M9.7 9.3a2.5 2.5 0 1 1 3.5 2.5c-.8.4-1.2.9-1.2 1.7M12 16.6h.01" />
  </>,
)
export const TableIcon = icon(
  <>
    <rect x="4" y="5" width="16" height="14" rx="2" />
    <path d="M4 10h16M4 14.5h16M10 10v9" />
  </>,
)
export const ChartIcon = icon(<path d="M5 20V10M10.5 20V4M16 20v-7M4 20h16" />)

export function Logo({ size = 28 }: IconProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" fill="var(--brand)" />
      <g fill="#fff">
        <ellipse cx="11.6" cy="19.2" rx="3.3" ry="5" transform="rotate(-8 11.6 19.2)" />
        <ellipse cx="12.4" cy="26" rx="2.2" ry="1.9" />
        <ellipse cx="20.2" cy="10" rx="3.3" ry="5" transform="rotate(8 20.2 10)" />
        <ellipse cx="19.5" cy="16.9" rx="2.2" ry="1.9" />
      </g>
    </svg>
  )
}
