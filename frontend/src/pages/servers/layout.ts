// CSS classes for the columns of the list of servers, shared by its header and rows. Narrower pages show fewer columns.

export const grid =
  "grid items-center gap-x-3 px-6 max-md:px-4 grid-cols-[minmax(0,1fr)_88px_32px_28px] md:grid-cols-[minmax(0,1fr)_88px_32px_56px_64px_56px_60px_28px] lg:grid-cols-[minmax(0,1fr)_88px_76px_56px_64px_56px_60px_28px] xl:grid-cols-[minmax(0,4fr)_88px_76px_56px_64px_56px_60px_minmax(0,4fr)_152px_28px]";
/** Hides cells on a narrow page. */
export const figures = "max-md:hidden";
/** Hides cells unless the page is wide. */
export const details = "max-xl:hidden";
