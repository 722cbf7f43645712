import type { ReactNode } from 'react';

function Icon({ children, size = 16 }: { readonly children: ReactNode; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3 3" />
  </Icon>
);
export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1" />
  </Icon>
);
export const MoonIcon = () => (
  <Icon>
    <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z" />
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);
export const SendIcon = () => (
  <Icon>
    <path d="M8 13V3M4 7l4-4 4 4" />
  </Icon>
);
export const StopIcon = () => (
  <Icon>
    <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />
  </Icon>
);
export const ImageIcon = () => (
  <Icon>
    <rect x="2" y="3" width="12" height="10" rx="1.5" />
    <path d="m2.5 11.5 3.5-3.5 3 3 2-2 2.5 2.5" />
    <circle cx="10.5" cy="6" r="1" />
  </Icon>
);
export const ChevronIcon = () => (
  <Icon size={12}>
    <path d="m6 4 4 4-4 4" />
  </Icon>
);
export const UndoIcon = () => (
  <Icon>
    <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5l3 3" />
  </Icon>
);
export const HistoryIcon = () => (
  <Icon>
    <path d="M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2.5v2.8h2.8M8 5v3.2l2.2 1.3" />
  </Icon>
);
export const EditIcon = () => (
  <Icon>
    <path d="m10.5 2.5 3 3-8 8h-3v-3l8-8Z" />
  </Icon>
);
export const TrashIcon = () => (
  <Icon>
    <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9" />
  </Icon>
);
export const PinIcon = () => (
  <Icon>
    <path d="M6 2.5h4M6.5 2.5v4L4.5 9h7L9.5 6.5v-4M8 9v4.5" />
  </Icon>
);
/** The mark of the project, as in `icon.svg`. */
export const Logo = () => <img src="/studio/icon.svg" width={20} height={20} alt="" />;
