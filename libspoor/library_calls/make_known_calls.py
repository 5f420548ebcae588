#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_known_calls.py - writes known_*.def from the headers of this machine: make_known_calls.py DIR

A line is CALL(name, words on x86-64, words on AArch64, signature): the stack words that the function's arguments take by
the platform's calling convention, and the types and names of the arguments (known_calls.h). A function whose number of
arguments varies has a line of another kind, by the lists below. Functions with an argument of an unknown type by value are
left out, and so are those in NEVER.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys

GROUPS = {
    "libc": (["assert.h", "aio.h", "argp.h", "argz.h", "arpa/inet.h", "byteswap.h", "crypt.h", "ctype.h", "dirent.h",
              "dlfcn.h", "envz.h", "err.h", "errno.h", "error.h", "execinfo.h", "fcntl.h", "fmtmsg.h",
              "fnmatch.h", "fstab.h", "fts.h", "ftw.h", "getopt.h", "glob.h", "grp.h", "gshadow.h", "iconv.h", "ifaddrs.h",
              "inttypes.h", "langinfo.h", "libgen.h", "libintl.h", "locale.h", "malloc.h", "mcheck.h", "mntent.h",
              "monetary.h", "mqueue.h", "net/if.h", "netdb.h", "netinet/ether.h", "netinet/in.h", "nl_types.h", "nss.h", "obstack.h",
              "poll.h", "printf.h", "pthread.h", "pty.h", "pwd.h", "regex.h", "resolv.h", "sched.h", "search.h", "semaphore.h",
              "setjmp.h", "shadow.h", "signal.h", "spawn.h", "stdio.h", "stdio_ext.h", "stdlib.h", "string.h",
              "strings.h", "sys/acct.h", "sys/auxv.h", "sys/epoll.h", "sys/eventfd.h", "sys/fanotify.h", "sys/file.h",
              "sys/fsuid.h", "sys/inotify.h", "sys/ioctl.h", "sys/ipc.h", "sys/klog.h", "sys/mman.h", "sys/mount.h", "sys/msg.h",
              "sys/personality.h", "sys/prctl.h", "sys/ptrace.h", "sys/quota.h", "sys/random.h", "sys/reboot.h",
              "sys/resource.h", "sys/select.h", "sys/sem.h", "sys/sendfile.h", "sys/shm.h", "sys/signalfd.h",
              "sys/socket.h", "sys/stat.h", "sys/statfs.h", "sys/statvfs.h", "sys/swap.h", "sys/syscall.h",
              "sys/sysinfo.h", "sys/sysmacros.h", "sys/time.h", "sys/timeb.h", "sys/timerfd.h", "sys/times.h", "sys/timex.h",
              "sys/types.h", "sys/uio.h", "sys/un.h", "sys/utsname.h", "sys/vfs.h", "sys/wait.h", "sys/xattr.h", "syslog.h",
              "termios.h", "threads.h", "time.h", "uchar.h", "ulimit.h", "unistd.h", "utime.h", "utmp.h", "utmpx.h",
              "wait.h", "wchar.h", "wctype.h", "wordexp.h"], []),
    "libm": (["math.h", "complex.h", "fenv.h"], []),
    "libz": (["zlib.h"], []),
    "libcrypto": (["openssl/ssl.h", "openssl/crypto.h", "openssl/evp.h", "openssl/err.h", "openssl/bio.h",
                   "openssl/rand.h", "openssl/x509.h", "openssl/x509v3.h", "openssl/pem.h", "openssl/hmac.h",
                   "openssl/sha.h", "openssl/aes.h", "openssl/rsa.h", "openssl/ec.h", "openssl/bn.h", "openssl/conf.h",
                   "openssl/pkcs12.h", "openssl/ocsp.h"], []),
    "libsqlite3": (["sqlite3.h"], []),
    "libexpat": (["expat.h"], []),
    "liblzma": (["lzma.h"], []),
    "libbz2": (["stdio.h", "bzlib.h"], []),
    "libreadline": (["stdio.h", "readline/readline.h", "readline/history.h"], []),
    "libmpi": (["mpi.h"], ["-I/usr/include/x86_64-linux-gnu/mpi", "-I/usr/lib/x86_64-linux-gnu/openmpi/include"]),
}
# Only functions from headers whose paths match belong to the group.
FROM = {"libc": r"/usr/include/", "libm": r"math|complex|fenv|cmathcalls|iscanonical", "libz": r"zlib", "libcrypto": r"openssl",
        "libsqlite3": r"sqlite3", "libexpat": r"expat", "liblzma": r"lzma", "libbz2": r"bzlib", "libreadline": r"readline",
        "libmpi": r"mpi"}

# Only functions whose names match.
NAMES = {"libm": r"^(?!__)\w+(?<!f32)(?<!f64)(?<!f128)(?<!f32x)(?<!f64x)$", "libc": r"^(?!__bswap|__builtin)",
         "libcrypto": r"^(SSL|BIO|EVP|RAND|ERR|OPENSSL|CRYPTO|HMAC|SHA|MD5|DTLS|TLS|X509_(STORE|verify))"}

# Functions that return twice, change stacks, or run below every call; and those that headers do not describe truly.
HERE = os.path.dirname(os.path.abspath(__file__))
UNWRAPPED = re.findall(r'^UNWRAPPED\("(.*)"\)$', open(os.path.join(HERE, "../text/unwrapped_calls.def")).read(), re.M)
UNTRUE = ["dlinfo", "dlmopen", "rl_*_hook", "__assert_perror_fail_", "strfmon*", "gets", "cookie_*", "fopencookie"]
NEVER = re.compile("|".join(fnmatch.translate(glob) for glob in UNWRAPPED + UNTRUE))
# (position of the format or first varying argument from 0)
PRINTF = {"printf": 0, "fprintf": 1, "dprintf": 1, "sprintf": 1, "snprintf": 2, "asprintf": 1, "syslog": 1, "err": 1, "errx": 1,
          "warn": 0, "warnx": 0, "error": 2, "error_at_line": 4, "obstack_printf": 1,
          "__printf_chk": 1, "__fprintf_chk": 2, "__dprintf_chk": 2, "__sprintf_chk": 3, "__snprintf_chk": 4,
          "__asprintf_chk": 2, "__syslog_chk": 2, "__obstack_printf_chk": 2, "argp_failure": 3, "argp_error": 1,
          "sqlite3_mprintf": 0, "sqlite3_snprintf": 2, "gzprintf": 1, "BIO_printf": 1, "BIO_snprintf": 2, "sqlite3_log": 1}
SCANF = {"scanf": 0, "fscanf": 1, "sscanf": 1, "__isoc99_scanf": 0, "__isoc99_fscanf": 1, "__isoc99_sscanf": 1,
         "__isoc23_scanf": 0, "__isoc23_fscanf": 1, "__isoc23_sscanf": 1}
# Functions of varying arguments that all fit into registers.
FEW = {"open", "open64", "openat", "openat64", "fcntl", "fcntl64", "ioctl", "prctl", "ptrace", "semctl", "mremap", "ulimit",
       "mq_open", "sem_open", "shm_open", "personality", "pthread_setname_np", "syscall_", "sqlite3_db_config",
       "__open_2", "__open64_2", "__openat_2", "__openat64_2"}
ADD = {"libc": {"syscall": (1, 0),
                "__longjmp_chk": (0, 0), "__memcpy_chk": (0, 0), "__memmove_chk": (0, 0), "__memset_chk": (0, 0),
                "__mempcpy_chk": (0, 0), "__strcpy_chk": (0, 0), "__strncpy_chk": (0, 0), "__stpcpy_chk": (0, 0),
                "__stpncpy_chk": (0, 0), "__strcat_chk": (0, 0), "__strncat_chk": (0, 0), "__read_chk": (0, 0), "__pread_chk": (0, 0),
                "__pread64_chk": (0, 0), "__recv_chk": (0, 0), "__recvfrom_chk": (1, 0), "__poll_chk": (0, 0),
                "__ppoll_chk": (0, 0), "__readlink_chk": (0, 0), "__readlinkat_chk": (0, 0), "__getcwd_chk": (0, 0),
                "__realpath_chk": (0, 0), "__fgets_chk": (0, 0), "__fgets_unlocked_chk": (0, 0), "__fread_chk": (0, 0),
                "__fread_unlocked_chk": (0, 0), "__vprintf_chk": (0, 0), "__vfprintf_chk": (0, 0), "__vsprintf_chk": (0, 0),
                "__vsnprintf_chk": (0, 0), "__vasprintf_chk": (0, 0), "__vdprintf_chk": (0, 0), "__vsyslog_chk": (0, 0),
                "__wmemcpy_chk": (0, 0), "__wcscpy_chk": (0, 0), "__mbstowcs_chk": (0, 0), "__wcstombs_chk": (0, 0),
                "__mbsrtowcs_chk": (0, 0), "__wcsrtombs_chk": (0, 0), "__fdelt_chk": (0, 0), "__gethostname_chk": (0, 0),
                "__confstr_chk": (0, 0), "__getgroups_chk": (0, 0), "__ttyname_r_chk": (0, 0), "__explicit_bzero_chk": (0, 0),
                "__isoc99_vsscanf": (0, 0), "__isoc99_vfscanf": (0, 0), "__isoc23_vsscanf": (0, 0),
                "__isoc23_strtol": (0, 0), "__isoc23_strtoul": (0, 0), "__isoc23_strtoll": (0, 0),
                "__isoc23_strtoull": (0, 0), "__strdup": (0, 0), "__strndup": (0, 0), "__fxstat": (0, 0), "__xstat": (0, 0),
                "__lxstat": (0, 0), "__fxstat64": (0, 0), "__xstat64": (0, 0), "__lxstat64": (0, 0), "__fxstatat": (0, 0),
                "__xpg_strerror_r": (0, 0), "__xpg_basename": (0, 0), "__h_errno_location": (0, 0), "fcntl64": (0, 0),
                "cfree": (0, 0), "qsort_r": (0, 0), "__sched_cpucount": (0, 0), "__isinf": (0, 0), "__isnan": (0, 0),
                **{"__%s_l" % name: (0, 0) for name in (
                    "iswctype nl_langinfo strcoll strftime strtod strtof strxfrm towlower towupper wcscoll wcsftime wcsxfrm "
                    "wctype strtol strtoul strtoll strtoull toupper tolower strcasecmp strncasecmp wcstod wcstol").split()},
                **{name: (0, 0) for name in (
                    "__newlocale __freelocale __uselocale __duplocale copysign copysignf frexp frexpf ldexp ldexpf modf modff "
                    "scalbn scalbnf finite finitef isinf isinff isnan isnanf").split()},
                **{name: (2, 0) for name in "frexpl ldexpl modfl scalbnl finitel isinfl isnanl".split()}, "copysignl": (4, 0)},
       "libm": {}}
# Types of arguments by value.
REAL = {"float", "double", "_Float32", "_Float64", "_Float32x", "float_t", "double_t"}
LONG = {"long double", "_Float64x"}
WIDE = {"_Float128", "__float128"}
REALS = {"_Complex float": 1, "complex float": 1, "_Complex double": 2, "complex double": 2}
WORD_STRUCTS = {"struct in_addr", "union sigval"}
UNKNOWN_STRUCT = {"div_t", "ldiv_t", "lldiv_t", "imaxdiv_t", "fpos_t", "fpos64_t", "va_list_", "cookie_io_functions_t",
                  "fexcept_t_", "mbstate_t", "sigset_t", "pthread_attr_t", "lzma_stream", "lzma_allocator", "XML_Expat_Version_"}


# Letters of types (known_calls.h).
LETTERS = {"void": "v", "char": "c", "signed char": "a", "unsigned char": "C", "_Bool": "C", "short": "h", "unsigned short": "H",
           "int": "i", "unsigned int": "u", "long": "l", "long long": "l", "unsigned long": "L", "unsigned long long": "L",
           "float": "f", "double": "d", "long double": "D", "_Float32": "f", "_Float64": "d", "_Float32x": "d", "_Float64x": "D",
           "struct in_addr": "u", "union sigval": "L", "fpos_t": "?", "va_list": "p", "__builtin_va_list": "p",
           "__gnuc_va_list": "p", "__SOCKADDR_ARG": "p", "__CONST_SOCKADDR_ARG": "p"}
# Better names for arguments, and arguments with flags.
RENAMED = {"oflag": "flags", "file": "path", "filename": "path"}
COUNTED = {"read", "write", "pread", "pwrite", "pread64", "pwrite64"}
FLAGS = {"flags", "prot", "request"}
# Types and names of functions whose headers say less. An argument without a name is recorded only if the user names it: not
# every call has it.
SIGNATURES = {
    "open": "itiu path,flags:x", "open64": "itiu path,flags:x", "openat": "iitiu fd,path,flags:x",
    "openat64": "iitiu fd,path,flags:x", "fcntl": "iiil fd,cmd", "fcntl64": "iiil fd,cmd", "ioctl": "iiLp fd,request:x,arg",
    "prctl": "iiLLLL option", "ptrace": "luipp request,pid,addr,data", "mremap": "ppLLip addr,old_len,new_len,flags:x",
    "semctl": "iiiip semid,semnum,cmd", "mq_open": "itiup name,flags:x", "sem_open": "ptiuu name,flags:x",
    "syscall": "llllllll number,arg1,arg2,arg3,arg4,arg5,arg6", "ulimit": "lil cmd",
    "__open_2": "iti path,flags:x", "__open64_2": "iti path,flags:x", "__openat_2": "iiti fd,path,flags:x",
    "__openat64_2": "iiti fd,path,flags:x", "__longjmp_chk": "vpi env,val",
    "__memcpy_chk": "pppLL dest,src,n,dest_size", "__memmove_chk": "pppLL dest,src,n,dest_size",
    "__mempcpy_chk": "pppLL dest,src,n,dest_size", "__memset_chk": "ppiLL s,c,n,s_size",
    "__strcpy_chk": "pptL dest,src,dest_size", "__strncpy_chk": "pptLL dest,src,n,dest_size",
    "__stpcpy_chk": "pptL dest,src,dest_size", "__stpncpy_chk": "pptLL dest,src,n,dest_size",
    "__strcat_chk": "pptL dest,src,dest_size", "__strncat_chk": "pptLL dest,src,n,dest_size",
    "__read_chk": "lipLL fd,buf,count,buf_size", "__pread_chk": "lipLlL fd,buf,count,offset,buf_size",
    "__pread64_chk": "lipLlL fd,buf,count,offset,buf_size", "__recv_chk": "lipLLi fd,buf,n,buf_size,flags:x",
    "__recvfrom_chk": "lipLLipp fd,buf,n,buf_size,flags:x,addr,addr_len", "__poll_chk": "ipLiL fds,nfds,timeout,fds_size",
    "__ppoll_chk": "ipLppL fds,nfds,timeout,ss,fds_size", "__readlink_chk": "ltpLL path,buf,len,buf_size",
    "__readlinkat_chk": "litpLL fd,path,buf,len,buf_size", "__getcwd_chk": "ppLL buf,size,buf_size",
    "__realpath_chk": "ptpL name,resolved,resolved_size", "__fgets_chk": "ppLip s,s_size,n,stream",
    "__fgets_unlocked_chk": "ppLip s,s_size,n,stream", "__fread_chk": "LpLLLp ptr,ptr_size,size,n,stream",
    "__fread_unlocked_chk": "LpLLLp ptr,ptr_size,size,n,stream", "__vprintf_chk": "iitp flag,format,arg",
    "__vfprintf_chk": "ipitp stream,flag,format,arg", "__vsprintf_chk": "ipiLtp s,flag,s_size,format,arg",
    "__vsnprintf_chk": "ipLiLtp s,maxlen,flag,s_size,format,arg", "__vasprintf_chk": "ipitp ptr,flag,format,arg",
    "__vdprintf_chk": "iiitp fd,flag,format,arg", "__vsyslog_chk": "viitp pri,flag,format,arg",
    "__printf_chk": "iit. flag,format", "__fprintf_chk": "ipit. stream,flag,format", "__dprintf_chk": "iiit. fd,flag,format",
    "__sprintf_chk": "ipiLt. s,flag,s_size,format", "__snprintf_chk": "ipLiLt. s,maxlen,flag,s_size,format",
    "__asprintf_chk": "ipit. ptr,flag,format", "__syslog_chk": "viit. pri,flag,format",
    "__obstack_printf_chk": "ipit. obstack,flag,format", "__isoc99_scanf": "it. format", "__isoc23_scanf": "it. format",
    "__isoc99_fscanf": "ipt. stream,format", "__isoc23_fscanf": "ipt. stream,format",
    "__isoc99_sscanf": "itt. s,format", "__isoc23_sscanf": "itt. s,format", "__isoc99_vsscanf": "ittp s,format,arg",
    "__isoc99_vfscanf": "iptp stream,format,arg", "__isoc23_vsscanf": "ittp s,format,arg",
    "__isoc23_strtol": "ltpi nptr,endptr,base", "__isoc23_strtoul": "Ltpi nptr,endptr,base",
    "__isoc23_strtoll": "ltpi nptr,endptr,base", "__isoc23_strtoull": "Ltpi nptr,endptr,base", "__strdup": "pt s",
    "__strndup": "ptL s,n", "__xstat": "iitp ver,path,buf", "__lxstat": "iitp ver,path,buf", "__fxstat": "iiip ver,fd,buf",
    "__xstat64": "iitp ver,path,buf", "__lxstat64": "iitp ver,path,buf", "__fxstat64": "iiip ver,fd,buf",
    "__fxstatat": "iiitpi ver,fd,path,buf,flags:x", "__xpg_strerror_r": "iipL errnum,buf,buflen", "__xpg_basename": "pp path",
    "__h_errno_location": "p", "__errno_location": "p", "cfree": "vp ptr", "qsort_r": "vpLLpp base,nmemb,size,compar,arg",
    "__gethostname_chk": "ipLL buf,buflen,buf_size", "__explicit_bzero_chk": "vpLL dest,len,dest_size", "__fdelt_chk": "ll d",
    "__sched_cpucount": "iLp setsize,set", "__confstr_chk": "LipLL name,buf,len,buf_size",
    "__getgroups_chk": "iipL size,list,list_size", "__mbstowcs_chk": "LptLL dest,src,len,dest_size",
    "__wcstombs_chk": "LppLL dest,src,len,dest_size", "__mbsrtowcs_chk": "LppLpL dest,src,len,ps,dest_size",
    "__wcsrtombs_chk": "LppLpL dest,src,len,ps,dest_size", "__ttyname_r_chk": "iipLL fd,buf,buflen,buf_size",
    "__wcscpy_chk": "pppL dest,src,dest_size", "__wmemcpy_chk": "pppLL dest,src,n,dest_size",
}


def split(text):
    """Splits arguments at commas outside parentheses."""
    depth, parts, part = 0, [], ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [one.strip() for one in parts + [part]]


def class_of(argument):
    """Returns (integers, reals, words in memory on x86-64, words on AArch64), or None."""
    argument = re.sub(r"\b(const|volatile|register|__restrict|restrict)\b", " ", argument)
    argument = re.sub(r"\s+", " ", argument).strip()
    if "*" in argument or "(" in argument or "[" in argument:
        return 1, 0, 0, 0
    if argument in REAL:
        return 0, 1, 0, 0
    if argument in LONG:
        return 0, 0, 2, 0
    if argument in WIDE:
        return 0, 1, 0, 0
    if argument in REALS:
        return 0, REALS[argument], 0, 0
    if "complex" in argument.lower() or argument in UNKNOWN_STRUCT:
        return None
    if argument.startswith(("struct ", "union ")) and argument not in WORD_STRUCTS:
        return None
    return 1, 0, 0, 0


def line_of(name, arguments):
    """Returns the line of the table without the signature, or None."""
    if NEVER.fullmatch(name):
        return None
    if name in ("longjmp", "siglongjmp", "_longjmp", "__longjmp_chk"):
        return "CALL_LEAVES(%s" % name
    if name in ("dlsym", "dlvsym"):
        return "CALL_BY_CALLER(%s" % name
    if name == "dlopen":
        return "CALL_DLOPEN(%s" % name
    if name == "dlclose":
        return "CALL_DLCLOSE(%s" % name
    if name in ("_exit", "_Exit", "execv", "execve", "execvp", "execvpe", "fexecve", "execveat", "execl", "execle", "execlp"):
        return "CALL_UNTIMED(%s" % name
    if name in ("fork", "_Fork", "forkpty", "daemon"):
        return "CALL_FORK(%s" % name
    for kind, table in (("PRINTF", PRINTF), ("SCANF", SCANF)):
        if name in table:
            return "CALL_%s(%s, %d" % (kind, name, table[name])
    if arguments == ["void"] or arguments == [""]:
        arguments = []
    if "..." in arguments:
        return "CALL(%s, 0, 0" % name if name in FEW else None
    total = [0, 0, 0, 0]
    for argument in arguments:
        more = class_of(argument)
        if more is None:
            return None
        total = [a + b for a, b in zip(total, more)]
    integers, reals, words, wide = total
    if words and max(0, integers - 6) + max(0, reals - 8):
        return None     # a long double is aligned to 16 bytes
    return "CALL(%s, %d, %d" % (name, max(0, integers - 6) + max(0, reals - 8) + words,
                                max(0, integers - 8) + max(0, reals + words // 2 - 8) + wide)


def letter_of(type_, typedefs):
    """Returns the letter of a type."""
    is_text = re.fullmatch(r"const char \*\s*(const|restrict|__restrict)*\s*", type_)
    type_ = re.sub(r"\b(const|volatile|restrict|__restrict|_Nonnull|_Nullable)\b", " ", type_)
    type_ = " ".join(type_.split())
    if typedefs.get(type_, type_) != type_ and type_ not in LETTERS:
        return letter_of(typedefs[type_], typedefs)
    if is_text or "*" in type_ or "[" in type_ or "(" in type_:
        return "t" if is_text else "p"
    return "u" if type_.startswith("enum ") else LETTERS.get(type_, "?")


def name_of(argument, number, function, letter):
    name = argument.get("name", "").lstrip("_") or "arg%d" % number
    if letter == "t":
        name = RENAMED.get(name, name)
    elif name in RENAMED and name == "oflag":
        name = RENAMED[name]
    if function in COUNTED and name in ("n", "nbytes"):
        name = "count"
    return name + (":x" if name in FLAGS and letter in "iuL" else "")


def signatures(headers, flags):
    """Returns the signatures of functions, by name, from clang's tree of the headers."""
    source = "#define _GNU_SOURCE\n" + "".join("#include <%s>\n" % header for header in headers)
    tree = subprocess.run(["clang", "-w", "-fno-builtin", "-fsyntax-only", *flags, "-Xclang", "-ast-dump=json", "-x", "c", "-"], text=True,
                          input=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    typedefs, result = {}, {}
    for node in json.loads(tree)["inner"]:
        if node["kind"] == "TypedefDecl":
            is_enum = '"EnumDecl"' in json.dumps(node)
            typedefs[node["name"]] = "enum " + node["name"] if is_enum else node["type"]["qualType"]
        if node["kind"] != "FunctionDecl" or "(" not in node["type"]["qualType"]:
            continue
        text, name = node["type"]["qualType"], node["name"]
        arguments = [part for part in node.get("inner", []) if part["kind"] == "ParmVarDecl"]
        letters = letter_of(text[:text.index("(")].strip() if "(*(" not in text else "*", typedefs)
        names = []
        for number, argument in enumerate(arguments, 1):
            letters += letter_of(argument["type"]["qualType"], typedefs)
            names.append(name_of(argument, number, name, letters[-1]))
        if node.get("variadic"):
            letters += "."
        # A later declaration may have the names.
        if name not in result or "arg1" in result[name]:
            result[name] = letters + (" " + ",".join(names) if names else "")
    return {**result, **SIGNATURES}


def signature_of(name, known):
    """Returns the signature of a function, which other names may have too; or "" if it is unknown."""
    return known.get(name) or known.get(re.sub("^__", "", name), "")


def usable_of(headers, flags):
    usable = []
    for header in headers:
        probe = subprocess.run(["gcc", "-E", "-D_GNU_SOURCE", *flags, "-x", "c", "-", "-o", "/dev/null"], text=True,
                               input="#include <stdio.h>\n#include <%s>\n" % header, stderr=subprocess.DEVNULL)
        if probe.returncode == 0:
            usable.append(header)
        else:
            print("no header %s" % header, file=sys.stderr)
    return usable


def prototypes(usable, flags, wanted):
    path = "/tmp/protos.%d" % os.getpid()
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-w", "-fsyntax-only", *flags, "-aux-info", path, "-x", "c", "-"], text=True, check=True,
                   input="".join("#include <%s>\n" % header for header in usable))
    text = open(path).read()
    os.remove(path)
    for line in text.splitlines():
        match = re.match(r"/\* (\S+):\d+:\S+ \*/ extern (.*);", line)
        if not match or not re.search(wanted, match.group(1)):
            continue
        body = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", match.group(2))
        # The name precedes the argument list; a function that returns a pointer to a function has the form
        # (*name (arguments)) (...).
        match = re.match(r".*?\(\*(\w+) \((.*)\)\) \(.*\)$", body) or re.match(r"[^(]*?(\w+) \((.*)\)$", body)
        if match:
            yield match.group(1), split(match.group(2))


def main():
    out = sys.argv[1]
    for group, (headers, flags) in GROUPS.items():
        lines, headers = {}, usable_of(headers, flags)
        known = signatures(headers + ["math.h"] * (group == "libc"), flags)
        for name, arguments in prototypes(headers, flags, FROM[group]):
            line = line_of(name, arguments)
            if line and re.search(NAMES.get(group, ""), name):
                lines[name] = line
        for name, words in ADD.get(group, {}).items():
            lines.setdefault(name, "CALL(%s, %d, %d" % (name, *words))
        for table, kind in ((PRINTF, "PRINTF"), (SCANF, "SCANF")):
            for name in table:
                if group == "libc" and (name.startswith("__")):
                    lines[name] = "CALL_%s(%s, %d" % (kind, name, table[name])
        if group == "libc":
            lines["_longjmp"] = "CALL_LEAVES(_longjmp"
            lines["__longjmp_chk"] = "CALL_LEAVES(__longjmp_chk"
        with open(os.path.join(out, "known_%s.def" % group), "w") as file:
            file.write("/* SPDX-License-Identifier: MIT */\n/* known_%s.def - the functions of %s with their stack words and signatures, "
                       "by make_known_calls.py. In the order of strcmp. */\n" % (group, group))
            for name in sorted(lines):
                file.write('%s, "%s")\n' % (lines[name], signature_of(name, known)))
        print(group, len(lines), "without signature:", [name for name in sorted(lines) if not signature_of(name, known)], file=sys.stderr)


main()
