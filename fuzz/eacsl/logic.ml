(* logic.ml: prepares the contracts for E-ACSL 25: prints the logic functions as C (LOGIC_OUT=FILE), or else puts calls
   of these in their place, and takes labels and booleans away. *)
open Cil_types

let boolean = function Ltype ({ lt_name = "boolean"; _ }, _) -> true | _ -> false
let c_int = Ctype Cil.intType
let c_long = Ctype Cil.longType

let give_up fmt = Format.kasprintf failwith fmt

(* ---- logic functions as C *)

let c_name li = Printf.sprintf "%s_%d" li.l_var_info.lv_name (List.length li.l_profile)

let operator = function
  | PlusA -> "plus" | MinusA -> "minus" | Mult -> "times" | Div -> "quotient" | Mod -> "remains"
  | _ -> give_up "an operator"

let comparison = function
  | Lt -> "<" | Gt -> ">" | Le -> "<=" | Ge -> ">=" | Eq -> "==" | Ne -> "!=" | LAnd -> "&&" | LOr -> "||"
  | _ -> give_up "a comparison"

let rec term out t =
  match t.term_node with
  | TConst (Integer (n, _)) -> Format.fprintf out "(integer)%s" (Integer.to_string n ^ if Integer.gt n (Integer.of_int 2147483647) then "u" else "")
  | TConst (LChr c) -> Format.fprintf out "(integer)%d" (Char.code c)
  | TConst (LEnum e) -> Format.fprintf out "(integer)%s" e.einame
  | TLval (TVar v, TNoOffset) -> Format.pp_print_string out v.lv_name
  | TLval (TMem p, TNoOffset) -> Format.fprintf out "(integer)READ(%a)" term p
  | TLval (TMem p, TField (f, TNoOffset)) -> Format.fprintf out "(integer)READ(&(%a)->%s)" term p f.fname
  | TLval (TMem p, TField (f, TField (g, TNoOffset))) ->
    Format.fprintf out "(integer)READ(&(%a)->%s.%s)" term p f.fname g.fname
  | TBinOp (PlusPI, p, i) -> Format.fprintf out "(%a + (int64_t)(%a))" term p term i
  | TBinOp ((PlusA | MinusA | Mult | Div | Mod) as op, a, b) ->
    Format.fprintf out "%s(%a, %a)" (operator op) term a term b
  | TBinOp (op, a, b) -> Format.fprintf out "(%a %s %a)" term a (comparison op) term b
  | TUnOp (LNot, a) -> Format.fprintf out "!(%a)" term a
  | TUnOp (Neg, a) -> Format.fprintf out "minus(0, %a)" term a
  | Tif (c, a, b) -> Format.fprintf out "(%a ? %a : %a)" term c term a term b
  | Tlet ({ l_body = LBterm v; l_var_info; _ }, body) ->
    Format.fprintf out "({ integer %s = %a; %a; })" l_var_info.lv_name term v term body
  | Tapp (f, _, args) -> Format.fprintf out "l_%s(%a)" (c_name f) arguments args
  | TLogic_coerce (_, a) | Tat (a, FormalLabel _) | TCastE (_, a) -> term out a
  | TDataCons ({ ctor_name = "\\true"; _ }, _) -> Format.pp_print_string out "1"
  | TDataCons ({ ctor_name = "\\false"; _ }, _) -> Format.pp_print_string out "0"
  | _ -> give_up "%a" Printer.pp_term t

and arguments out args = Format.pp_print_list ~pp_sep:(fun out () -> Format.fprintf out ", ") term out args

let pointer = function Ctype t -> Cil.isPointerType t | _ -> false
(* Parameters that may be as large as a number of 64 bits; all others are places, counts and bytes. *)
let is_large v = List.mem v.lv_name [ "value"; "bound"; "base"; "limit" ]
let parameters number out =
  Format.pp_print_list ~pp_sep:(fun out () -> Format.fprintf out ", ")
    (fun out v ->
       match v.lv_type with
       | Ctype t when Cil.isPointerType t ->
         Format.fprintf out "const %a %s" Printer.pp_typ (Cil.unrollType t) v.lv_name
       | _ when number = "long" && is_large v -> Format.fprintf out "unsigned long %s" v.lv_name
       | _ -> Format.fprintf out "%s %s" number v.lv_name)
    out

(* Those that our files define, and not Frama-C's C library. *)
let ours : (int, unit) Hashtbl.t = Hashtbl.create 97
let named_here li = Hashtbl.mem ours li.l_var_info.lv_id
let from_library (place, _) =
  let path = (place.Filepath.pos_path :> string) in
  let library = (Fc_config.datadir :> string) in
  String.length path >= String.length library && String.sub path 0 (String.length library) = library
let is_term li = match li.l_body with LBterm _ -> true | _ -> false

let functions file =
  let rec of_annotation = function
    | Dfun_or_pred (li, _) -> Hashtbl.replace ours li.l_var_info.lv_id (); if is_term li then [ li ] else []
    | Daxiomatic (_, several, _, _) -> List.concat_map of_annotation several
    | _ -> [] in
  List.concat_map (function
      | GAnnot (a, place) when not (from_library place) -> of_annotation a
      | _ -> []) file.globals

(* What a body applies; and those of which all is there that they apply. *)
let applied body =
  let found = ref [] in
  let visitor = object
    inherit Visitor.frama_c_inplace
    method! vterm t =
      (match t.term_node with Tapp (f, _, _) -> found := c_name f :: !found | _ -> ());
      Cil.DoChildren
  end in
  ignore (Visitor.visitFramacTerm (visitor :> Visitor.frama_c_visitor) body);
  !found

let rec closed bodies =
  let names = List.map (fun (li, _, _) -> c_name li) bodies in
  let kept = List.filter (fun (_, _, used) -> List.for_all (fun name -> List.mem name names) used) bodies in
  if List.length kept = List.length bodies then List.map (fun (li, text, _) -> (li, text)) kept else closed kept

let by_value v = match v.lv_type with Ctype t -> Cil.isStructOrUnionType t | _ -> false

(* The order of two keys is small, and has a sign; other numbers have none. *)
let is_order li = List.exists (fun name -> String.starts_with ~prefix:name li.l_var_info.lv_name
  || String.starts_with ~prefix:("logic_" ^ name) li.l_var_info.lv_name) [ "order_of_"; "full_order" ]

let write path declarations file =
  let all = List.filter (fun li -> li.l_profile <> [] && String.length li.l_var_info.lv_name > 0
    && li.l_var_info.lv_name.[0] <> '\\') (functions file) in
  let channel = open_out path and short = open_out declarations in
  let out = Format.formatter_of_out_channel channel and brief = Format.formatter_of_out_channel short in
  Format.pp_set_margin out 100000;
  Format.pp_set_margin brief 100000;
  let bodies = closed (List.filter_map (fun li ->
      match li.l_body with
      | LBterm body when not (List.exists by_value li.l_profile) ->
        (try Some (li, Format.asprintf "%t" (fun o -> Format.pp_set_margin o 100000; term o body), applied body)
        with Failure why -> Kernel.feedback "no: %s: %s" li.l_var_info.lv_name why; None)
      | _ -> None) all) in
  List.iter (fun (li, _) ->
      Format.fprintf out "static integer l_%s(%a);@\n" (c_name li) (parameters "integer") li.l_profile) bodies;
  List.iter (fun (li, text) ->
      let name = c_name li in
      Format.fprintf out "static integer l_%s(%a) { return %s; }@\n" name (parameters "integer") li.l_profile text;
      let result, by = if is_order li then ("long", "(long)") else ("unsigned long", "narrow") in
      Format.fprintf out "%s logic_%s(%a) { return %s(l_%s(%s)); }@\n" result name (parameters "long") li.l_profile by
        name (String.concat ", " (List.map (fun v -> v.lv_name) li.l_profile));
      Format.fprintf brief "/*@@ assigns \\nothing; */ %s logic_%s(%a);@\n" result name (parameters "long") li.l_profile) bodies;
  Format.pp_print_flush out (); Format.pp_print_flush brief ();
  close_out channel; close_out short

(* ---- annotations without labels and booleans *)

let around = ref [ BuiltinLabel Here ]
let is_default = function
  | [ FormalLabel _ ] | [ BuiltinLabel Here ] -> true
  | [ l ] -> Cil_datatype.Logic_label.equal l (List.hd !around)
  | _ -> false

(* E-ACSL wants nothing but bounds in front of the arrow: what else is there goes behind it. *)
let rec conjuncts p = match p.pred_content with
  | Pand (a, b) -> conjuncts a @ conjuncts b
  | _ -> [ p ]
let guarded vars p = match p.pred_content with
  | Pimplies (hypothesis, goal) ->
    let bounds v q = match q.pred_content with
      | Prel ((Rlt | Rle), a, b) ->
        let is t = match t.term_node with
          | TLval (TVar w, TNoOffset) | TLogic_coerce (_, { term_node = TLval (TVar w, TNoOffset); _ }) -> Cil_datatype.Logic_var.equal v w
          | _ -> false in
        is a || is b
      | _ -> false in
    let rec split = function
      | a :: b :: rest when List.length vars = 1 && bounds (List.hd vars) a && bounds (List.hd vars) b -> ([ a; b ], rest)
      | all -> (all, []) in
    (match split (conjuncts hypothesis) with
     | bound, (_ :: _ as rest) ->
       Logic_const.pimplies (Logic_const.pands bound, Logic_const.pimplies (Logic_const.pands rest, goal))
     | _ -> p)
  | _ -> p

(* Clauses that are left out by name, FUNCTION:CLAUSE. *)
let left_out = match Sys.getenv_opt "LEFT_OUT" with
  | Some text -> String.split_on_char ',' text
  | None -> []

class strip = object (self)
  inherit Visitor.frama_c_inplace

  (* Ghost code is for the provers: it shows lemmas, and has no part in what the code does. *)
  method! vstmt_aux s =
    if s.ghost then begin
      let all = Annotations.fold_code_annot (fun emitter a rest -> (emitter, a) :: rest) s [] in
      List.iter (fun (emitter, a) -> Annotations.remove_code_annot emitter s a) all;
      (match s.skind with
       | Instr (Call _) -> s.skind <- Instr (Skip (Cil_datatype.Stmt.loc s))
       | _ -> ())
    end;
    Cil.DoChildren

  method! vpredicate p =
    match self#current_kf, p.pred_name with
    | Some kf, name :: _ when List.mem (Kernel_function.get_name kf ^ ":" ^ name) left_out ->
      Cil.ChangeTo Logic_const.ptrue
    | _ -> Cil.DoChildren

  method! vglob_aux g = if from_library (Cil_datatype.Global.loc g |> fun (p, q) -> (p, q)) then Cil.SkipChildren else Cil.DoChildren

  method! vlogic_info_decl li =
    (match li.l_labels with [ _ ] when named_here li -> li.l_labels <- [] | _ -> ());
    (* A function is what the C twin says; a predicate is left to E-ACSL. *)
    if is_term li && li.l_profile <> [] && named_here li then begin
      li.l_var_info.lv_name <- "logic_" ^ c_name li;
      li.l_body <- LBnone;
      li.l_type <- Some (if is_order li then c_long else Ctype Cil.ulongType);
      List.iter (fun v -> if not (pointer v.lv_type) then v.lv_type <- if is_large v then Ctype Cil.ulongType else c_long) li.l_profile
    end;
    Cil.DoChildren

  method! vpredicate_node = function
    | Pat (p, FormalLabel _) -> Cil.ChangeDoChildrenPost (p.pred_content, fun x -> x)
    | Pat (_, l) as p ->
      around := l :: !around;
      Cil.ChangeDoChildrenPost (p, fun x -> around := List.tl !around; x)
    | Pforall (vars, p) -> Cil.ChangeDoChildrenPost (Pforall (vars, guarded vars p), fun x -> x)
    | Pobject_pointer _ -> Cil.ChangeTo Ptrue
    | Pvalid (FormalLabel _, t) -> Cil.ChangeDoChildrenPost (Pvalid (BuiltinLabel Here, t), fun x -> x)
    | Pvalid_read (FormalLabel _, t) -> Cil.ChangeDoChildrenPost (Pvalid_read (BuiltinLabel Here, t), fun x -> x)
    | Pinitialized (FormalLabel _, t) -> Cil.ChangeDoChildrenPost (Pinitialized (BuiltinLabel Here, t), fun x -> x)
    | Papp (li, l, args) when named_here li && is_default l -> Cil.ChangeDoChildrenPost (Papp (li, [], args), fun x -> x)
    | _ -> Cil.DoChildren

  method! vterm t =
    let plain t = if boolean t.term_type then { t with term_type = c_int } else t in
    match t.term_node with
    | Tat (p, FormalLabel _) -> Cil.ChangeDoChildrenPost (p, plain)
    | Tat (_, l) ->
      around := l :: !around;
      Cil.ChangeDoChildrenPost (t, fun x -> around := List.tl !around; plain x)
    | Tapp (li, l, args) when named_here li && is_default l ->
      let t = { t with term_node = Tapp (li, [], args) } in
      Cil.ChangeDoChildrenPost (t, fun t -> match t.term_node with
        | Tapp (li, _, _) when li.l_body = LBnone && Option.is_some li.l_type -> { t with term_type = Option.get li.l_type }
        | _ -> plain t)
    | TDataCons ({ ctor_name = "\\true"; _ }, _) -> Cil.ChangeTo (Logic_const.tinteger 1)
    | TDataCons ({ ctor_name = "\\false"; _ }, _) -> Cil.ChangeTo (Logic_const.tinteger 0)
    | TUnOp (LNot, a) ->
      let zero = Logic_const.tinteger 0 in
      Cil.ChangeDoChildrenPost ({ t with term_node = TBinOp (Eq, a, zero); term_type = c_int }, plain)
    | (TLogic_coerce (ty, a)) when boolean ty -> Cil.ChangeDoChildrenPost (a, plain)
    | _ -> Cil.ChangeDoChildrenPost (t, plain)
end

let once = ref false
let () =
  Ast.apply_after_computed (fun file ->
      if not !once then begin
        once := true;
        match Sys.getenv_opt "LOGIC_OUT" with
        | Some path -> write path (path ^ ".h") file
        | None ->
          ignore (functions file);
          Visitor.visitFramacFile (new strip) file
      end)
